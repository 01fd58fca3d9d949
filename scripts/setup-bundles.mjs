// The third part of the set-up: makes the bundles that threads start from when the sources have changed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeBundles } from './bundles.mjs'
import { runBuild } from './setup-build.mjs'
import { withSetupLock } from './setup-lock.mjs'

const BUNDLES = { what: 'the service', script: 'build-bundles.mjs' }

/** Brings the bundles to what the sources say. Throws an Error whose message says what to do. */
export async function setUpBundles(root, lockPath) {
  if (!existsSync(join(root, 'src', 'main.ts'))) return
  const wanted = describeBundles(root)
  if (existsSync(wanted)) return
  await withSetupLock(lockPath, async (share) => {
    if (!existsSync(wanted)) await runBuild(root, BUNDLES, { argument: wanted, share })
  })
}
