// A browser for the tests of the pages: the system's own Chromium, Chrome or Edge. Plain JavaScript for any Node from 18 on.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installOnDebian } from './debian.mjs'

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
const PACKAGES = ['chromium', 'fonts-noto-cjk']
const MEND =
  'steward: the tests of the pages need Chromium, Chrome or Edge: install one, or name it in STEWARD_BROWSER'

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
  installOnDebian(PACKAGES, 'the tests of the pages')
  if (findBrowser() === undefined) throw new Error(MEND)
}
