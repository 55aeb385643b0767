#include "gtvmin/io/edge_list.h"

#include <utility>

#include "edge_rows.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin {

Result<EdgeList> read_edge_list(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return parse_edge_list(path, file->content());
}

Result<EdgeList> parse_edge_list(const std::string& name, std::string_view content) {
  InputProblems problems(name);
  NameTable names;
  Result<EdgeRows> rows = read_edge_rows(content, names, problems);
  if (!problems.empty()) return problems.to_error();
  if (!rows) return rows.error();
  return EdgeList{std::move(names).take_names(), std::move(rows->edges), std::move(rows->lines)};
}

}  // namespace gtvmin
