export { ingressAudio } from './service.ts';
