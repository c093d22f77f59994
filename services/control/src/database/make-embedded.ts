import { PGlite } from '@electric-sql/pglite';

// A program: makes the files of an empty database in the folder that its argument names.
const [, , folder] = process.argv;
await (await PGlite.create(folder as string)).close();
