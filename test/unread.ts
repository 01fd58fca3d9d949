import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'

/**
 * From here on the system does not read what stands below a path that `isMeant`: neither what is in a folder, nor whether a
 * file is there. `code`: what it says, as of a disk with an error (EIO), or of a folder of another user (EACCES). Answers the
 * end of it, which comes with that of the test at the latest.
 */
export function unreadable(
  t: Test,
  isMeant: (path: string) => boolean,
  { code = 'EIO', what = ['readdirSync', 'statSync'] as readonly Asked[] } = {},
): () => void {
  const { readdirSync, statSync, existsSync } = fs
  const mustBeRead = (asked: Asked, path: unknown) => {
    if (!what.includes(asked) || !isMeant(String(path))) return
    throw Object.assign(new Error(`${code}: i/o error, ${asked} '${path}'`), { code })
  }
  const instead = {
    readdirSync: (...given: readonly unknown[]) => {
      mustBeRead('readdirSync', given[0])
      return Reflect.apply(readdirSync, fs, given)
    },
    statSync: (...given: readonly unknown[]) => {
      mustBeRead('statSync', given[0])
      return Reflect.apply(statSync, fs, given)
    },
    /** Which tells every error as something that is not there. */
    existsSync: (path: string) => !(what.includes('statSync') && isMeant(path)) && existsSync(path),
  }
  Object.assign(fs, instead)
  syncBuiltinESMExports()
  const end = () => {
    Object.assign(fs, { readdirSync, statSync, existsSync })
    syncBuiltinESMExports()
  }
  t.teardown(end)
  return end
}

type Asked = 'readdirSync' | 'statSync'
