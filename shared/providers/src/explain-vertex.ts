import type { Advice, Refusal } from './profile.ts';

/** The settings that a refusal may be about. */
interface Place {
  project: string | undefined;
  location: string;
}

/** A refusal that Vertex AI explains by its settings, and what to change. */
interface Case {
  status: readonly number[];
  text: RegExp;
  kind?: Advice['kind'];
  message(refusal: Refusal, place: Place): string;
}

const named = ({ project }: Place) => (project ? `project '${project}'` : 'the project');

/** Vertex AI's refusals, by the reasons and words of google.rpc.Status; the first one that matches is taken. */
const cases: Case[] = [
  {
    status: [403],
    text: /SERVICE_DISABLED|API has not been used in project/,
    message: (_, place) =>
      `The Vertex AI API is not enabled: enable aiplatform.googleapis.com in ${named(place)}.`,
  },
  {
    status: [403],
    text: /BILLING_DISABLED|requires billing/i,
    message: (_, place) => `Billing is not enabled: enable it for ${named(place)}.`,
  },
  {
    status: [400, 403, 404],
    text: /RESOURCE_PROJECT_INVALID|CONSUMER_INVALID|Project .{0,80}(?:not found|has been deleted)/,
    message: (_, place) =>
      `Google Cloud has no ${named(place)}, or the credential may not use it: check options.project.`,
  },
  {
    status: [400, 404],
    text: /Publisher [Mm]odel|Endpoint .{0,200}not found/,
    kind: 'not-found',
    message: ({ model }, { project, location }) =>
      `Vertex AI has no model '${model}' in the location '${location}' for ${named({ project, location })}: correct the model of the target or options.location, or enable the model in Model Garden.`,
  },
  {
    status: [400],
    text: /(?:location|region).{0,80}not supported|LOCATION_POLICY|unsupported (?:location|region)/i,
    message: (_, { location }) =>
      `Vertex AI does not serve this in the location '${location}': change options.location.`,
  },
  {
    status: [403],
    text: /aiplatform\.\w+\.\w+|IAM_PERMISSION_DENIED/,
    message: (_, place) =>
      `The account may not use Vertex AI: give it the role Vertex AI User in ${named(place)}, or correct options.project.`,
  },
  {
    status: [404],
    text: /was not found on this server|^\s*<(?:!doctype|html)/i,
    message: (_, { location }) =>
      `Google has no such path: check baseUrl and options.location ('${location}').`,
  },
  {
    status: [400, 401],
    text: /UNAUTHENTICATED|API_KEY_INVALID|API key not valid|invalid authentication credentials/,
    message: () =>
      "Google refused the credential: check that apiKey is a service account's key, or an API key of Vertex AI.",
  },
];

/** Returns what to change in a provider's settings, if they are why Vertex AI refused a request. */
export function explainVertex(refusal: Refusal, place: Place): Advice | undefined {
  const found = cases.find(({ status, text }) => status.includes(refusal.status) && text.test(refusal.text));
  return found && { kind: found.kind ?? 'upstream', message: found.message(refusal, place) };
}
