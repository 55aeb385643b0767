#include "gtvmin/report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "axis.h"

namespace gtvmin {
namespace {

constexpr double kPlotWidth = 340;
constexpr double kPlotHeight = 250;
constexpr double kLeft = 76;
constexpr double kTop = 34;
constexpr double kLegendMark = 38;  // line and marker of an entry, before its text
constexpr double kCharacter = 7;    // wide enough for most characters of a sans-serif font of 12 pixels
constexpr double kMargin = 12;
constexpr double kBelow = 52;
constexpr double kPanelHeight = kTop + kPlotHeight + kBelow;
constexpr double kTitle = 34;
constexpr double kCaption = 30;
constexpr std::size_t kColumns = 2;
constexpr double kLegendLine = 17;
constexpr double kBarCap = 3;

// Okabe and Ito's palette, which most people can tell apart.
constexpr std::string_view kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Estimated width of a text in pixels: a fixed width for each UTF-8 character.
double text_width(std::string_view text) {
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return kCharacter * static_cast<double>(characters);
}

/// Width of every panel: the plot and the longest entry of any legend.
double panel_width(const Figure& figure) {
  double longest = 0;
  for (const PlotPanel& panel : figure.panels) {
    for (const PlotSeries& series : panel.series) longest = std::max(longest, text_width(series.name));
  }
  return kLeft + kPlotWidth + kLegendMark + longest + kMargin;
}

std::string text(double x, double y, std::string_view words, std::string_view attributes = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     attributes);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

bool can_be_drawn(const PlotPanel& panel, const PlotPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && (!panel.log_y || point.y > 0);
}

struct Axes {
  Axis x;
  Axis y;
};

Axes axes_of(const PlotPanel& panel) {
  Range x;
  Range y;
  for (const PlotSeries& series : panel.series) {
    for (const PlotPoint& point : series.points) {
      if (!can_be_drawn(panel, point)) continue;
      x.take(point.x);
      y.take(point.y);
      if (std::isfinite(point.deviation)) y.take(point.y + point.deviation);
    }
  }
  if (x.low > x.high) {  // nothing to draw
    x = {0, 1};
    y = {1, 10};
  }
  return {Axis(x.low, x.high, false, kLeft, kLeft + kPlotWidth),
          Axis(y.low, y.high, panel.log_y, kTop + kPlotHeight, kTop)};
}

std::string frame(const PlotPanel& panel, const Axes& axes) {
  std::string svg = text(kLeft + kPlotWidth / 2, kTop - 12, panel.title, "text-anchor=\"middle\" font-weight=\"bold\"");
  const double bottom = kTop + kPlotHeight;
  for (const Axis::Tick& tick : axes.x.ticks()) {
    const double at = axes.x.position(tick.value);
    svg += line(at, kTop, at, bottom, "stroke=\"#e4e4e4\"");
    svg += text(at, bottom + 16, tick.label, "text-anchor=\"middle\"");
  }
  for (const Axis::Tick& tick : axes.y.ticks()) {
    const double at = axes.y.position(tick.value);
    svg += line(kLeft, at, kLeft + kPlotWidth, at, "stroke=\"#e4e4e4\"");
    svg += text(kLeft - 6, at + 4, tick.label, "text-anchor=\"end\"");
  }
  svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft,
                     kTop, kPlotWidth, kPlotHeight);
  svg += text(kLeft + kPlotWidth / 2, bottom + 36, panel.x_label, "text-anchor=\"middle\"");
  const double middle = kTop + kPlotHeight / 2;
  svg += text(16, middle, panel.y_label,
              fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 16 {:.1f})\"", middle));
  return svg;
}

std::string marker(double x, double y, std::string_view colour, bool hollow) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" stroke=\"{}\"/>\n", x, y,
                     hollow ? "white" : colour, colour);
}

std::string error_bar(const Axes& axes, const PlotPoint& point, std::string_view colour) {
  if (!(point.deviation > 0) || !std::isfinite(point.deviation)) return {};
  const double x = axes.x.position(point.x);
  const double top = axes.y.position(point.y + point.deviation);
  const double low = point.y - point.deviation;
  // A bar that leaves the panel, as on a logarithmic axis it must where it reaches 0, ends at the frame.
  const double bottom = axes.y.holds(low) ? axes.y.position(low) : kTop + kPlotHeight;
  const std::string stroke = fmt::format("stroke=\"{}\"", colour);
  return line(x, top, x, bottom, stroke) + line(x - kBarCap, top, x + kBarCap, top, stroke);
}

std::string curve(const PlotPanel& panel, const PlotSeries& series, const Axes& axes, std::string_view colour) {
  std::string marks;
  std::string path;
  for (const PlotPoint& point : series.points) {
    if (!can_be_drawn(panel, point)) continue;
    const double x = axes.x.position(point.x);
    const double y = axes.y.position(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", x, y);
    marks += error_bar(axes, point, colour) + marker(x, y, colour, series.reference);
  }
  if (series.scatter || path.empty()) return marks;
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", path, colour,
                     series.reference ? " stroke-dasharray=\"5 4\"" : "") +
         marks;
}

std::string legend_entry(const PlotSeries& series, double y, std::string_view colour) {
  const double x = kLeft + kPlotWidth + 10;
  std::string svg;
  if (!series.scatter) {
    svg += line(x, y, x + 22, y,
                fmt::format("stroke=\"{}\" stroke-width=\"1.5\"{}", colour,
                            series.reference ? " stroke-dasharray=\"5 4\"" : ""));
  }
  return svg + marker(x + 11, y, colour, series.reference) + text(x + 28, y + 4, series.name);
}

std::string panel_svg(const PlotPanel& panel) {
  const Axes axes = axes_of(panel);
  std::string svg = frame(panel, axes);
  std::size_t ours = 0;
  std::size_t theirs = 0;
  double legend = kTop + 10;
  for (const PlotSeries& series : panel.series) {
    const std::size_t position = series.reference ? theirs++ : ours++;
    const std::string_view colour = kColours[position % std::size(kColours)];
    svg += curve(panel, series, axes, colour);
    if (series.points.empty()) continue;  // a placeholder that keeps the colours of the others
    svg += legend_entry(series, legend, colour);
    legend += kLegendLine;
  }
  return svg;
}

}  // namespace

std::string to_svg(const Figure& figure) {
  const std::size_t columns = std::clamp<std::size_t>(figure.panels.size(), 1, kColumns);
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  const double panel = panel_width(figure);
  const double texts = std::max(text_width(figure.caption), text_width(figure.title) * 16 / 12) + 2 * kMargin;
  const double width = std::max(panel * static_cast<double>(columns), texts);
  const double height = kTitle + kPanelHeight * static_cast<double>(rows) + kCaption;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  svg += text(width / 2, 24, figure.title, "text-anchor=\"middle\" font-size=\"16\"");
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const double x = panel * static_cast<double>(k % columns);
    const std::size_t row = k / columns;
    const double y = kTitle + kPanelHeight * static_cast<double>(row);
    svg += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n{}</g>\n", x, y, panel_svg(figure.panels[k]));
  }
  svg += text(width / 2, height - 10, figure.caption, "text-anchor=\"middle\" fill=\"#444\"");
  return svg + "</svg>\n";
}

}  // namespace gtvmin
