import { inflateRawSync } from 'node:zlib';

/** One MP3 frame of a tone: 24 kHz, 32 kbit/s, 24 ms. It needs no frame before it, so it can be repeated. */
export const mp3Frame = Buffer.from(
  '//NExAAM+lIUALhFcPXCIG2DByzCP2CDDMPX1c4y+uuWG/19X86/kr83+bv83+bPRv+v6uu//7cbjej7SCKfI9CYgpqKZlxiYGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'base64',
);

/** One AAC frame of the same tone with its ADTS header: 24 kHz, 1024 samples. It can be repeated, too. */
export const aacFrame = Buffer.from(
  '//FYQBCf/AD6NJC0gincLb9//7P2+//7/Mc9Te7vXPHcC6qVloAMDImawRk1ImpGKo7npFVi9FypqaamgUHFuuhm57n+lqP8KjSpSlqUpZSg9joqtKhQCh7GlKKlVKFKKV9ipSgVVPcK19wUrUABSla0qKhWlFKe5SlKVpWvulFa19yv',
  'base64',
);

/** An Ogg file with 160 ms of Opus. */
export const opusFile = Buffer.from(
  'T2dnUwACAAAAAAAAAAABAAAAAAAAAMUarfcBE09wdXNIZWFkAQEAAMBdAAAAAABPZ2dTAAAAAAAAAAAAAAEAAAABAAAAygVaeAEZT3B1c1RhZ3MJAAAAc2ltdWxhdG9yAAAAAE9nZ1MAAMADAAAAAAAAAQAAAAIAAAAxVCT6ATy4rYB121oipcE5Mpb6e5RvjMP6kxBdgyPdFvvlSBfF0WsfJYiJHHOz9u4bQ3DEQyiXjU4NB4CW5q+F5axPZ2dTAACABwAAAAAAAAEAAAADAAAAXhJwAgE8uK2AddtaIqXBOTKW+nuUb4zD+pMQXYMj3Rb75UgXxdFrHyWIiRxzs/buG0NwxEMol41ODQeAluavheWsT2dnUwAAQAsAAAAAAAABAAAABAAAALfdefsBPLitgHXbWiKlwTkylvp7lG+Mw/qTEF2DI90W++VIF8XRax8liIkcc7P27htDcMRDKJeNTg0HgJbmr4XlrE9nZ1MAAAAPAAAAAAAAAQAAAAUAAADYmy0DATy4rYB121oipcE5Mpb6e5RvjMP6kxBdgyPdFvvlSBfF0WsfJYiJHHOz9u4bQ3DEQyiXjU4NB4CW5q+F5axPZ2dTAADAEgAAAAAAAAEAAAAGAAAAAq4KAwE8uK2AddtaIqXBOTKW+nuUb4zD+pMQXYMj3Rb75UgXxdFrHyWIiRxzs/buG0NwxEMol41ODQeAluavheWsT2dnUwAAgBYAAAAAAAABAAAABwAAAG3oXvsBPLitgHXbWiKlwTkylvp7lG+Mw/qTEF2DI90W++VIF8XRax8liIkcc7P27htDcMRDKJeNTg0HgJbmr4XlrE9nZ1MAAEAaAAAAAAAAAQAAAAgAAADtC/7sATy4rYB121oipcE5Mpb6e5RvjMP6kxBdgyPdFvvlSBfF0WsfJYiJHHOz9u4bQ3DEQyiXjU4NB4CW5q+F5axPZ2dTAAQAHgAAAAAAAAEAAAAJAAAAcRJTFwE8uK2AddtaIqXBOTKW+nuUb4zD+pMQXYMj3Rb75UgXxdFrHyWIiRxzs/buG0NwxEMol41ODQeAluavheWs',
  'base64',
);

/** A FLAC file with 60 ms of silence. */
export const flacFile = inflateRawSync(
  Buffer.from(
    'S/NJdG5gYFBifMD4gAEMWO8wfGBgYF3AgAb+/yjnYGC8b8rEMApGwSgYsqDhACgrMzLejxvNyqNgFAxh8CYelJWZGO8/Hs3Ko2AUDGEQ+Q8A',
    'base64',
  ),
);
