#include "transport_library.h"

extern "C" void gtvmin_start_transport(gtvmin::TransportOptions&& options, gtvmin::SiteLinks& links,
                                       gtvmin::Result<std::unique_ptr<gtvmin::Transport>>& started) {
  started = gtvmin::Transport::start(std::move(options), links);
}

extern "C" void gtvmin_ask_status(const gtvmin::StatusQuestion& question, gtvmin::Result<std::string>& answer) {
  answer = gtvmin::ask_status(question);
}
