/** Names of the streams of tests. */
export const values = { stream: 'VALUES', subjects: 'test.values' };
export const logs = { stream: 'LOGS', subjects: 'test.logs' };
export const jobs = {
  stream: 'JOBS',
  subjects: 'test.jobs',
  consumer: 'runners',
  cancelled: 'test.cancelled',
};
