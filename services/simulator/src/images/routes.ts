import type { Express, RequestHandler, Response } from 'express';
import { chat } from '../chat/format.ts';
import { deliver } from '../delivery.ts';
import { errand } from '../exchange.ts';
import { guardedForm } from '../guarded.ts';
import { Gallery } from '../pictures/gallery.ts';
import { sendJson } from '../send-json.ts';
import type { Traffic } from '../traffic.ts';
import { answer } from './answer.ts';
import { readForm } from './form.ts';
import { parseEdit, parseForm, parseGeneration } from './parse.ts';

/** What is answered with images, and the images that were answered with URLs; to fetch these is no traffic. */
export function addImageRoutes(app: Express, traffic: Traffic): void {
  const gallery = new Gallery();
  app.post(
    '/v1/images/generations',
    errand(chat, traffic, parseGeneration, (asked, mark) => answer(asked, gallery, mark)),
  );
  const asJson = errand(chat, traffic, parseEdit, (asked, mark) => answer(asked, gallery, mark));
  const asForm = formErrand(gallery, traffic);
  app.post('/v1/images/edits', (request, response, next) =>
    (request.is('application/json') ? asJson : asForm)(request, response, next),
  );
  app.get('/v1/images/files/:name', ({ params }, response) => show(gallery, params.name, response));
}

function formErrand(gallery: Gallery, traffic: Traffic): RequestHandler {
  return guardedForm(chat, traffic, async (arrival, parts) => {
    const { fields, inputs } = await readForm(parts);
    const asked = parseForm(fields, inputs, arrival.request.headers);
    return deliver(chat, traffic, arrival, asked.model, mark => answer(asked, gallery, mark));
  });
}

function show(gallery: Gallery, name: string, response: Response): void {
  const found = gallery.find(name);
  if (!found) return sendJson(response, 404, { error: { message: 'There is no such image.' } });
  response.writeHead(200, { 'content-type': found.type, 'content-length': found.bytes.length });
  response.end(found.bytes);
}
