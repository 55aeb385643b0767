#pragma once

#include <string>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/problem/dataset.h"

namespace gtvmin {

/// Numbers the labels of `dataset` by the classes of a training; two classes as −1 and 1 stay as they are. Fails, with
/// `where` in front, on classes that the training did not know.
[[nodiscard]] Status match_classes(const std::string& where, const std::vector<std::string>& classes, Dataset& dataset);

}  // namespace gtvmin
