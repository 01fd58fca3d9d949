// npm run smoke:wine: a smoke test of Windows on Linux: npm run smoke:wine -- [--only zip|clone] [--keep].
// Skipped, with the reason, where Wine is missing. The work is done by wine/smoke.mjs, on the pinned Node.
import { join } from 'node:path'
import { failWith, getNode, ROOT, runOn } from './runtime.mjs'
import { setUp } from './setup.mjs'
import { whyNoWine } from './wine/prefix.mjs'

const reason = whyNoWine()
if (reason === undefined) {
  try {
    await setUp()
    const script = join(ROOT, 'scripts', 'wine', 'smoke.mjs')
    process.exitCode = await runOn(getNode(), script, process.argv.slice(2))
  } catch (error) {
    failWith(error, 1)
  }
} else process.stdout.write(`skipped: ${reason}\n`)
