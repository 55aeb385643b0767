# Writes OUTPUT, a C++ file that holds the texts of FILES.
set(entries "")
list(SORT FILES)
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" content)
  string(APPEND entries "    {\"${name}\", R\"toml(${content})toml\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"experiment_list.h\"

namespace gtvmin::app {

std::span<const EmbeddedExperiment> embedded_experiments() {
  static constexpr EmbeddedExperiment kExperiments[] = {
${entries}  };
  return kExperiments;
}

}  // namespace gtvmin::app
")
