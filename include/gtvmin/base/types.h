#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace gtvmin {

/// Positions inside matrices and vectors.
using Index = Eigen::Index;
/// Nodes and edges are numbered from 0; 32 bits keep the graph half the size in memory.
using NodeId = std::int32_t;
using EdgeId = std::int32_t;

/// States are column-major: w is d × nodes, u is d × edges, a column is what one node or one edge owns.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using VectorRef = Eigen::Ref<Vector>;
using ConstVectorRef = const Eigen::Ref<const Vector>&;
using MatrixRef = Eigen::Ref<Matrix>;
using ConstMatrixRef = const Eigen::Ref<const Matrix>&;

}  // namespace gtvmin
