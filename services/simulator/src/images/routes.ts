import type { Express } from 'express';
import { sendJson } from '../body.ts';
import { chat } from '../chat/format.ts';
import { deliver } from '../delivery.ts';
import { guardedForm } from '../guarded.ts';
import { postJson } from '../routes.ts';
import type { Traffic } from '../traffic.ts';
import { answerImages, imageNamed } from './answer.ts';
import { parseEdit, parseForm, parseGeneration } from './parse.ts';

const maxFileBytes = 50 * 1024 * 1024;

/** Generations, edits, and the images that answers point to. Fetching one of these does not count as a request. */
export function addImageRoutes(app: Express, traffic: Traffic): void {
  app.post('/v1/images/generations', postJson(chat, traffic, parseGeneration, answerImages));
  const asJson = postJson(chat, traffic, parseEdit, answerImages);
  const asForm = guardedForm(chat, traffic, maxFileBytes, (incoming, form) => {
    const parsed = parseForm(form, incoming.request.headers);
    return deliver(chat, traffic, incoming, parsed.model, mark => answerImages(parsed, mark));
  });
  app.post('/v1/images/edits', (request, response, next) =>
    (request.is('application/json') ? asJson : asForm)(request, response, next),
  );
  app.get('/v1/images/files/:name', ({ params }, response) => {
    const image = imageNamed(params.name);
    if (!image) return sendJson(response, 404, { error: { message: 'There is no such image.' } });
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': image.length });
    response.end(image);
  });
}
