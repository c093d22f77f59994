import { cohereChatRules, skipped } from './cohere-chat-rules.ts';
import { describeForeignUpstream } from './foreign-upstream.ts';

describeForeignUpstream({
  upstream: 'cohere-chat',
  provider: { kind: 'cohere', apiKey: { value: 'key' } },
  rules: cohereChatRules,
  skipped,
});
