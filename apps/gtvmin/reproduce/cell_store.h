#pragma once

#include <optional>
#include <string>

#include "cell.h"

namespace gtvmin::app {

/// Finished cells on disk, one file each, written whole or not at all: `<out>/<experiment>/<reading>/cells/<key>.json`.
/// A file holds a fingerprint of the settings, so that a cell whose settings have changed is not taken for finished.
class CellStore {
 public:
  explicit CellStore(std::string folder) : folder_(std::move(folder)) {}

  /// To be called before anything is saved.
  [[nodiscard]] Status make_folder() const;
  /// Nothing if the cell has not been finished with these settings.
  [[nodiscard]] std::optional<CellOutcome> load(const Cell& cell) const;
  [[nodiscard]] Status save(const Cell& cell, const CellOutcome& outcome) const;

 private:
  [[nodiscard]] std::string path(const Cell& cell) const;
  std::string folder_;
};

}  // namespace gtvmin::app
