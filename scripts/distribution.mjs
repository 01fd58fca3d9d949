// What is different where the program was unpacked from an archive of `npm run dist` instead of set up from its
// sources: everything is there already, and configuration and data live outside its folder, so that the next
// version finds them. Plain JavaScript for any Node from 18 on, without a dependency.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, posix, win32 } from 'node:path'

/** Lies in the folder of the program, and says of which version and platform it is. */
export const DISTRIBUTION = 'distribution.json'
/** The code of an unpacked program: one file for each thing that starts. */
export const BUNDLES = 'bundles'
/** Names the folder in which configuration and data live; a user may set it before. */
const PLACE = 'STEWARD_PLACE'

/** Whether the program was unpacked from an archive. */
export const isDistribution = (root) => existsSync(join(root, DISTRIBUTION))

/**
 * Where configuration and data of a user live when the program was unpacked: on Windows a folder that nothing
 * synchronizes and that needs no rights. Pure.
 */
export function placeOf({ platform, env, home }) {
  const named = env[PLACE]?.trim() ?? ''
  if (named !== '') return named
  if (platform === 'win32') {
    return win32.join(env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'Steward')
  }
  return posix.join(env['XDG_DATA_HOME'] || posix.join(home, '.local', 'share'), 'steward')
}

/** The place of the user of this process. */
export const ownPlace = () =>
  placeOf({ platform: process.platform, env: process.env, home: homedir() })

/** Makes the place known to everything that this process runs. */
export function setPlace() {
  process.env[PLACE] = ownPlace()
}
