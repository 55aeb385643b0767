#pragma once

#include <optional>
#include <string>

#include "cell.h"

namespace gtvmin::app {

/// Finished cells on disk, one file each, written whole or not at all: `<out>/<experiment>/<reading>/cells/<key>.json`.
/// A file holds a fingerprint of the settings, so that a cell whose settings have changed is not taken for finished.
class CellStore {
 public:
  /// Makes the folder if there is none.
  static Result<CellStore> open(const std::string& folder);

  /// Nothing if the cell has not been finished with these settings.
  [[nodiscard]] std::optional<CellOutcome> load(const Cell& cell) const;
  [[nodiscard]] Status save(const Cell& cell, const CellOutcome& outcome) const;

 private:
  explicit CellStore(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::string path(const Cell& cell) const;
  std::string folder_;
};

}  // namespace gtvmin::app
