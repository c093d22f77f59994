export { type ControlConfig, controlConfig, storedConfig, storedOptions } from './config.ts';
export { control } from './service.ts';
