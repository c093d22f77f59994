import { accessKey } from '@model-gateway/simulator';
import { converseRules, skipped } from './converse-rules.ts';
import { describeForeignUpstream } from './foreign-upstream.ts';

const options = { region: 'us-east-1', accessKeyId: accessKey.id };

describeForeignUpstream({
  upstream: 'converse',
  provider: { kind: 'bedrock', apiKey: { value: accessKey.secret }, options },
  rules: converseRules,
  skipped,
});
