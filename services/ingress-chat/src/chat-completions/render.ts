/** Every answer of this format that is not the upstream's own bytes is an error so far. */
export {
  renderChatError as renderError,
  renderChatErrorEvent as renderErrorEvent,
} from '@model-gateway/ingress';
