import type { ModelRecord } from '@model-gateway/catalog';
import type { ChatModel, ChatModelList } from '@model-gateway/wire';

/** A model by the name that it was asked for, which may be one of many that a pattern matches. */
export function renderModel(id: string, { created, targets }: ModelRecord): ChatModel {
  return { id, object: 'model', created, owned_by: targets[0]?.provider ?? 'gateway' };
}

export function renderList(models: readonly ModelRecord[]): ChatModelList {
  return { object: 'list', data: models.map(model => renderModel(model.name, model)) };
}
