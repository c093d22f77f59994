const ids = ['sim-1', 'sim-fast', 'sim-slow', 'sim-t200', 'sim-t200-i10ms-f50ms'];

/** The models that show what names can do; any other name is answered too. */
export const modelList = {
  object: 'list',
  data: ids.map(id => ({
    id,
    object: 'model',
    created: 1_767_225_600,
    owned_by: 'simulator',
    shutdown_date: null,
  })),
};
