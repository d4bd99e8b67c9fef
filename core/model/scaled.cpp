#include "core/model/scaled.hpp"

#include <algorithm>

namespace lacuna {
namespace {

constexpr Index kHeads = 4;

void narrow_rope(std::optional<RopeParameters>& rope, Index width) {
  if (rope) rope->channels = width;
}

struct Narrow {
  const SmallExtents& extents;

  void operator()(ProjectedConfig& config) const {
    config.h_kv = config.h_kv == config.h_q ? kHeads : config.h_kv == 1 ? 1 : kHeads / 2;
    config.h_q = kHeads;
    config.d_model = extents.d_model;
    config.d_qk = config.d_v = extents.d_model / kHeads;
    narrow_rope(config.rope, config.d_qk);
    if (config.local_window > 0) config.local_window = extents.window;
  }
  void operator()(MlaConfig& config) const {
    config.d_model = extents.d_model;
    config.heads = kHeads;
    if (config.q_lora_rank > 0) config.q_lora_rank = extents.d_model / 2;
    config.kv_lora_rank = extents.d_model / 4;
    config.qk_nope = config.d_v = extents.d_model / kHeads;
    config.qk_rope = extents.d_model / 8;
  }
  void operator()(SparseMlaConfig& config) const {
    (*this)(config.mla);
    config.index_heads = 2;
    config.d_index = extents.d_model / 4;
  }
  void operator()(SharedStateConfig& config) const {
    config.d_model = extents.d_model;
    config.heads = kHeads;
    config.head_dim = extents.d_model / 2;
    config.qk_rope = extents.d_model / 8;
    config.q_lora_rank = extents.d_model / 2;
    config.o_groups = 2;
    config.o_lora_rank = extents.d_model / 4;
    config.local_window = extents.window;
    config.index_heads = 2;
    config.d_index = extents.d_model / 4;
  }
  void operator()(RetentionConfig& config) const {
    config.d_model = extents.d_model;
    config.heads = kHeads;
    config.d_qk = config.d_v = extents.d_model / kHeads;
    narrow_rope(config.rope, config.d_qk);
  }
};

}  // namespace

ModelDescription scaled(ModelDescription model, const SmallExtents& extents, Index layers) {
  if (extents.d_model < 16 || extents.d_model % 16 != 0)
    throw UsageError(fmt::format("d_model is {}; it must be a multiple of 16", extents.d_model));
  if (layers < 0 || layers > static_cast<Index>(model.layers.size()))
    throw UsageError(fmt::format("layers is {}; the model has {}", layers, model.layers.size()));
  if (layers > 0) model.layers.resize(layers);
  model.d_model = extents.d_model;
  model.vocabulary = extents.vocabulary;
  for (LayerDescription& layer : model.layers) {
    std::visit(Narrow{extents}, layer.attention);
    if (layer.top_k > 0) layer.top_k = extents.top_k;
    layer.feed_forward.width = 2 * extents.d_model;
  }
  model.check();
  return model;
}

}  // namespace lacuna
