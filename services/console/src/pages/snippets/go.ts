import { flattened, simpleText } from './generate-content.ts';
import { goMedia } from './go-media.ts';
import { orFail, program, withGoFiles } from './go-program.ts';
import { chatFields, configFields, messagesFields, responsesFields, structOf } from './go-simple.ts';
import { literal, go as notation } from './literal.ts';
import { goRealtime } from './realtime.ts';
import { type Code, type CodeRequest, isStreamed, sdkFields } from './request.ts';
import { secretVariable } from './secret.ts';

const openaiPath = 'github.com/openai/openai-go/v3';
const anthropicPath = 'github.com/anthropics/anthropic-sdk-go';
const secret = `os.Getenv("${secretVariable}")`;

/** Writes a request for the vendors' SDKs of Go. Simple requests use the SDK's types, others the JSON of the API. */
export function go(request: CodeRequest): Code {
  switch (request.format) {
    case 'chat':
    case 'responses':
    case 'messages':
      return conversation(request, sdks[request.format]);
    case 'generate-content':
      return generateContent(request);
    case 'realtime':
      return goRealtime(request);
    default:
      return goMedia(request);
  }
}

interface Sdk {
  name: 'openai' | 'anthropic';
  path: string;
  /** The path of the base URL. */
  root: string;
  /** The package and the name of the parameters, and the packages that simple ones need. */
  params: string;
  fields: Parameters<typeof structOf>[1];
  packages: string[];
  service: string;
  stream(calls: boolean): string;
  /** The packages that reading a stream needs. */
  streamPackages: string[];
  whole(calls: boolean): string;
}

const sdks: Record<'chat' | 'responses' | 'messages', Sdk> = {
  chat: {
    ...{ name: 'openai', path: openaiPath, root: '/v1', service: 'Chat.Completions' },
    params: 'openai.ChatCompletionNewParams',
    ...{ fields: chatFields, packages: [], streamPackages: [] },
    stream: calls => `		for _, choice := range stream.Current().Choices {
			fmt.Print(choice.Delta.Content)${
        calls
          ? `
			for _, call := range choice.Delta.ToolCalls {
				fmt.Print(call.Function.Name, " ", call.Function.Arguments)
			}`
          : ''
      }
		}`,
    whole: calls =>
      calls
        ? `	message := response.Choices[0].Message
	fmt.Println(message.Content)
	for _, call := range message.ToolCalls {
		fmt.Println(call.Function.Name, call.Function.Arguments)
	}`
        : '	fmt.Println(response.Choices[0].Message.Content)',
  },
  responses: {
    ...{ name: 'openai', path: openaiPath, root: '/v1', service: 'Responses' },
    params: 'responses.ResponseNewParams',
    fields: responsesFields,
    ...{ packages: [`${openaiPath}/responses`], streamPackages: [`${openaiPath}/responses`] },
    stream: calls => `		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			fmt.Print(event.Delta)${
        calls
          ? `
		case responses.ResponseOutputItemDoneEvent:
			if call, isCall := event.Item.AsAny().(responses.ResponseFunctionToolCall); isCall {
				fmt.Println(call.Name, call.Arguments)
			}`
          : ''
      }
		}`,
    whole: calls =>
      `	fmt.Println(response.OutputText())${
        calls
          ? `
	for _, item := range response.Output {
		if call, isCall := item.AsAny().(responses.ResponseFunctionToolCall); isCall {
			fmt.Println(call.Name, call.Arguments)
		}
	}`
          : ''
      }`,
  },
  messages: {
    ...{ name: 'anthropic', path: anthropicPath, root: '', service: 'Messages' },
    params: 'anthropic.MessageNewParams',
    ...{ fields: messagesFields, packages: [], streamPackages: [] },
    stream: calls => `		switch event := stream.Current().AsAny().(type) {
		case anthropic.ContentBlockDeltaEvent:
			fmt.Print(event.Delta.Text${calls ? ', event.Delta.PartialJSON' : ''})${
        calls
          ? `
		case anthropic.ContentBlockStartEvent:
			fmt.Print(event.ContentBlock.Name)`
          : ''
      }
		}`,
    whole: calls => `	for _, block := range response.Content {
		fmt.Println(block.Text${calls ? ', block.Name, string(block.Input)' : ''})
	}`,
  },
};

function conversation(request: CodeRequest, sdk: Sdk): Code {
  const { name, path, root, params, fields, service } = sdk;
  const { body, files } = withGoFiles(sdkFields(request));
  const { stream, ...sent } = body;
  const simple = files.length === 0 ? structOf(sent, fields) : undefined;
  const calls = 'tools' in body;
  const streamed = isStreamed(request);
  const argument = simple ? params + simple : `param.Override[${params}](${literal(sent, notation, 1)})`;
  const call = `client.${service}.New${streamed ? 'Streaming' : ''}(context.Background(), ${argument})`;
  const packages = [
    ...(simple ? sdk.packages : [`${path}/packages/param`]),
    ...(streamed || calls ? sdk.streamPackages : []),
    // The type of the parameters is of this package.
    ...(params.startsWith('responses.') ? [`${path}/responses`] : []),
  ];
  const needsSdk = simple !== undefined || name === 'openai' || params.startsWith('anthropic.');
  return program(
    {
      imports: ['context', 'fmt', 'log', 'os', ...(needsSdk ? [path] : []), `${path}/option`, ...packages],
      main: `	client := ${name}.NewClient(
		option.WithBaseURL(${notation.text(request.baseUrl + root)}),
		option.WithAPIKey(${secret}),
	)
${
  streamed
    ? `	stream := ${call}
	for stream.Next() {
${sdk.stream(calls)}
	}
	if err := stream.Err(); err != nil {
		log.Fatal(err)
	}`
    : `	response, err := ${call}
${orFail}
${sdk.whole(calls)}`
}`,
      install: `go get ${path}`,
    },
    files,
  );
}

function generateContent(request: CodeRequest): Code {
  const { body, files } = withGoFiles(request.body);
  const { contents, config } = flattened(body);
  const text = simpleText(contents);
  const isPlain = Object.keys(config).length === 0;
  const simple = structOf(config, configFields);
  const system = config.systemInstruction;
  const wire =
    typeof system === 'string' ? { ...config, systemInstruction: { parts: [{ text: system }] } } : config;
  const settings = isPlain
    ? 'nil'
    : simple
      ? `&genai.GenerateContentConfig${simple}`
      : `as[*genai.GenerateContentConfig](${literal(wire, notation, 1)})`;
  const asked =
    text !== undefined
      ? `genai.Text(${notation.text(text)})`
      : `as[[]*genai.Content](${literal(contents, notation, 1)})`;
  const converts = text === undefined || (!isPlain && !simple);
  const streamed = isStreamed(request);
  const calls = (pad: string) =>
    'tools' in config
      ? `
${pad}for _, call := range response.FunctionCalls() {
${pad}	fmt.Println(call.Name, call.Args)
${pad}}`
      : '';
  const call = (method: string) =>
    `client.Models.${method}(ctx, ${notation.text(request.model)}, ${asked}, ${settings})`;
  return program(
    {
      imports: [
        'context',
        'fmt',
        'log',
        'os',
        'google.golang.org/genai',
        ...(converts ? ['encoding/json'] : []),
      ],
      main: `	ctx := context.Background()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      ${secret},
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: ${notation.text(request.baseUrl)}},
	})
${orFail}
${
  streamed
    ? `	for response, err := range ${call('GenerateContentStream')} {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(response.Text())${calls('\t\t')}
	}`
    : `	response, err := ${call('GenerateContent')}
${orFail}
	fmt.Println(response.Text())${calls('\t')}`
}`,
      ...(converts && { functions: [conversion] }),
      install: 'go get google.golang.org/genai',
    },
    files,
  );
}

const conversion = `// as converts the JSON of the API to a type of the SDK.
func as[T any](value any) (typed T) {
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &typed)
	}
	if err != nil {
		log.Fatal(err)
	}
	return typed
}`;
