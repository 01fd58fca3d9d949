// What the tests need of the system: for the pages its own Chromium, Chrome or Edge, for the sidecars a Python, for a
// cluster a nats-server.
// Installed where that needs nobody's word: on Debian, as root. Plain JavaScript for any Node from 18 on.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export { setUpNatsServer } from './nats-server.mjs'

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
]
const MAC = ['Google Chrome', 'Chromium', 'Microsoft Edge']
const WINDOWS = ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe']
/** The pages speak Chinese; without a font for it every character is a box. */
const BROWSER_PACKAGES = ['chromium', 'fonts-noto-cjk']
const BROWSER_MEND =
  'steward: 页面的测试需要 Chromium、Chrome 或 Edge：请安装，或用 STEWARD_BROWSER 指明 (the tests of the pages need Chromium, Chrome or Edge: install one, or name it in STEWARD_BROWSER)'

const PYTHON_MEND =
  'steward: 真实交易客户端的测试需要 Python 3.8 或更新：请安装，或用 STEWARD_TEST_PYTHON 指明 (the tests of the real trading client need Python 3.8 or later: install it, or name it in STEWARD_TEST_PYTHON)'
const IS_GOOD = 'import sys; sys.exit(sys.version_info < (3, 8))'

/** The executable of a browser; undefined when there is none in the usual places. */
export function findBrowser(env = process.env, platform = process.platform) {
  const named = env['STEWARD_BROWSER']
  const places = named ? [named] : placesOf(env, platform)
  return places.find((path) => existsSync(path))
}

function placesOf(env, platform) {
  if (platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) => env[name])
    return roots.filter(Boolean).flatMap((root) => WINDOWS.map((path) => join(root, path)))
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const apps = MAC.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  return platform === 'darwin' ? [...apps, ...onPath] : [...onPath, '/snap/bin/chromium']
}

/** Installs a browser where that needs nobody's word: on Debian, as root. Throws the line for the user. */
export function setUpBrowser() {
  if (findBrowser() !== undefined) return
  installOnDebian(BROWSER_PACKAGES, ['页面的测试', 'the tests of the pages'])
  if (findBrowser() === undefined) throw new Error(BROWSER_MEND)
}

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
  installOnDebian(['python3'], ['真实交易客户端的测试', 'the tests of the real trading client'])
  if (!isGoodPython(python)) throw new Error(PYTHON_MEND)
}

/** Does nothing where it is not ours to install; a failure shows in what is still missing afterwards. */
function installOnDebian(packages, [zh, en]) {
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!isDebianRoot) return
  process.stdout.write(
    `steward: 为${zh}安装 ${packages.join('、')} … (installing ${packages.join(' and ')} for ${en})\n`,
  )
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env })
  if (install().status !== 0) {
    spawnSync('apt-get', ['update'], { env })
    install()
  }
}
