import { type Access, openAccess } from '@model-gateway/access';
import { type Bus, Caller } from '@model-gateway/bus';
import { type Catalog, openCatalog } from '@model-gateway/catalog';

/** What every ingress of a process works with, all of it in memory. */
export interface Parts {
  access: Access;
  catalog: Catalog;
  caller: Caller;
}

const opened = new WeakMap<Bus, Promise<Parts>>();

/** Opens a process's parts once, however many ingress services run in it. */
export function openParts(bus: Bus): Promise<Parts> {
  let parts = opened.get(bus);
  if (!parts) {
    parts = open(bus);
    opened.set(bus, parts);
  }
  return parts;
}

async function open(bus: Bus): Promise<Parts> {
  const [{ access }, { catalog }, caller] = await Promise.all([
    openAccess(bus),
    openCatalog(bus),
    Caller.open(bus),
  ]);
  return { access, catalog, caller };
}
