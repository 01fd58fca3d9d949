// What the tests need of the system, installed where that needs nobody's word: on Debian, as root.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** False where it is not ours to install; a failure shows in what is still missing afterwards. */
export function installOnDebian(packages, purpose) {
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!isDebianRoot) return false
  process.stdout.write(`steward: installing ${packages.join(' and ')} for ${purpose} ...\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env })
  if (install().status !== 0) {
    spawnSync('apt-get', ['update'], { env })
    install()
  }
  return true
}
