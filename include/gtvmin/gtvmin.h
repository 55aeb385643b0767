#pragma once

/// The library in one header: reading data, graph, losses, penalties, problem, solver and certificate.

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/certify/certificate.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/io/dataset_reader.h"
#include "gtvmin/loss/local_loss.h"
#include "gtvmin/penalty/penalty.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/version.h"
