/** How the bytes for what is kept are divided among the streams that hold it. */
export interface Room {
  turns: number;
  events: number;
  jobs: number;
}

/** Events are many, and soon gone; of a job there is little more than its id. */
export function divide(bytes: number): Room {
  const events = Math.floor(bytes / 3);
  const jobs = Math.floor(bytes / 100);
  return { turns: bytes - events - jobs, events, jobs };
}
