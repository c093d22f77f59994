export { type ControlConfig, controlConfig } from './config.ts';
export { control } from './service.ts';
