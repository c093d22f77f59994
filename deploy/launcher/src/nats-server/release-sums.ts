/** The release whose archives are fetched: the newest one whose checksums were compared with what its project published. */
export const releaseVersion = '2.15.0';

/** The SHA-256 of each archive `nats-server-v<version>-<platform>.tar.gz`. A platform without one is not fetched. */
export const releaseSums: Readonly<Record<string, string>> = {
  'darwin-amd64': '5bd8b59ca5bf93fab3da2c5843cf564cd6e2e291e22ae3b861746e7ebe259b95',
  'darwin-arm64': 'e1c4e22d70bd44abfa0bcb3c16f7cf0c66f648c2e728c58924e8a1ce88913cc8',
  'linux-amd64': '5d2c51caca950333aba84911df7d377f826f3a59ec36061c6539105084f65c92',
  'linux-arm64': 'cdc208f5a3f42963a52b6ab06ef65626bb870315dc936e26ba571780c6351112',
};
