# Writes OUTPUT, a C++ file with a fingerprint of FILES, a list of paths below ROOT in the file LIST.
file(STRINGS "${LIST}" files)
set(digests "")
foreach(file IN LISTS files)
  file(SHA256 "${ROOT}/${file}" digest)
  string(APPEND digests "${file} ${digest}\n")
endforeach()
string(SHA256 fingerprint "${digests}")
file(WRITE "${OUTPUT}" "#include \"source_fingerprint.h\"

namespace gtvmin::app {

std::string_view source_fingerprint() { return \"${fingerprint}\"; }

}  // namespace gtvmin::app
")
