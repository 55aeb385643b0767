#pragma once

#include <string>
#include <vector>

namespace gtvmin {

struct PlotPoint {
  double x = 0;
  double y = 0;
  double deviation = 0;  ///< half the length of the error bar; 0: none
};

/// A curve, or a cloud of points.
struct PlotSeries {
  std::string name = {};
  std::vector<PlotPoint> points = {};  ///< empty: nothing is drawn, and the legend has no entry
  /// Somebody else's numbers: dashed, in the colour of the series of ours that has the same position among ours.
  bool reference = false;
  bool scatter = false;  ///< points that no line joins
};

struct PlotPanel {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  bool log_y = false;  ///< what is not positive is left out
  std::vector<PlotSeries> series = {};
};

/// A few panels side by side under a title, with a sentence below.
struct Figure {
  std::string title = {};
  std::string caption = {};
  std::vector<PlotPanel> panels = {};
};

/// The figure as an SVG file of its own, without scripts or fonts from elsewhere. Numbers that are not finite are left
/// out.
[[nodiscard]] std::string to_svg(const Figure& figure);

}  // namespace gtvmin
