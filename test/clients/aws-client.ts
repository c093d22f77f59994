import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { accessKey, type StartedSimulator } from '@model-gateway/simulator';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** The region of the client and of the gateway's providers. */
export const region = 'us-east-1';

/** Returns the SDK of AWS as a client of the simulator. */
export function awsClient({ url }: StartedSimulator): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    ...{ endpoint: url, region, maxAttempts: 1, requestHandler: new NodeHttpHandler() },
    credentials: { accessKeyId: accessKey.id, secretAccessKey: accessKey.secret },
  });
}
