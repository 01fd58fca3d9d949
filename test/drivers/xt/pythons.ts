import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PYTHON } from './rig.ts'

const LAST_MINOR = 13

function versionOf(python: string): string | undefined {
  try {
    const code = 'import platform; print(platform.python_version())'
    return execFileSync(python, ['-c', code], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return undefined
  }
}

/** What pyenv has installed runs by its whole path alone, unless somebody has chosen its version. */
const ofPyenv = (minor: number): readonly string[] =>
  globSync(join(homedir(), `.pyenv/versions/3.${minor}.*/bin/python3.${minor}`))

/** The interpreter of the tests, and every other that this computer has, by version. */
export function foundPythons(firstMinor: number): ReadonlyMap<string, string> {
  const minors = Array.from({ length: LAST_MINOR - firstMinor + 1 }, (_, i) => firstMinor + i)
  const named = minors.flatMap((minor) => [`python3.${minor}`, ...ofPyenv(minor)])
  const names = [PYTHON, 'pypy3', ...named]
  const found = new Map<string, string>()
  for (const python of names) {
    const version = versionOf(python)
    if (version !== undefined && !found.has(version)) found.set(version, python)
  }
  return found
}
