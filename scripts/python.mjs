// A Python for the tests of the sidecars. Plain JavaScript for any Node from 18 on.
import { spawnSync } from 'node:child_process'
import { installOnDebian } from './debian.mjs'

const MEND =
  'steward: the tests of the real trading client need Python 3.8 or later: install it, or name it in STEWARD_TEST_PYTHON'
const IS_GOOD = 'import sys; sys.exit(sys.version_info < (3, 8))'

/** The interpreter that the tests start. */
export function pythonOf(env = process.env, platform = process.platform) {
  return env['STEWARD_TEST_PYTHON'] ?? (platform === 'win32' ? 'python' : 'python3')
}

/** Whether this interpreter is there and new enough. */
export function isGoodPython(python) {
  return spawnSync(python, ['-c', IS_GOOD], { stdio: 'ignore' }).status === 0
}

/** Throws the line for the user when there is none and it is not ours to install one. */
export function setUpPython(python = pythonOf()) {
  if (isGoodPython(python)) return
  installOnDebian(['python3'], 'the tests of the real trading client')
  if (!isGoodPython(python)) throw new Error(MEND)
}
