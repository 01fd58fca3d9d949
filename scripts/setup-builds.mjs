// The second and the third part of the set-up: the pages of web/ and the bundles that threads start from are
// built when their sources or tools have changed. Plain JavaScript for any Node from 18 on, without a dependency.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeBundles, digestOf, filesBelow } from './bundles.mjs'
import { getNode, outputOf, withLastLines } from './runtime.mjs'
import { withSetupLock } from './setup-lock.mjs'

/** Lies in web/dist and says what it was built from. */
export const PAGES_STAMP = '.built-from'
const PAGE_TOOLS = ['package.json', 'package-lock.json', 'scripts/build-web.mjs']
/** What the pages share with the service. */
const PAGE_WORDS = ['src/domain/csv.ts', 'src/domain/in-both.ts', 'src/domain/span.ts']

/** What is built, Chinese first. */
const PAGES = ['页面', 'the pages']
const SERVICE = ['服务', 'the service']

/** Brings web/dist to what its sources say. Throws an Error whose message says what to do. */
export async function setUpPages(root, lockPath) {
  if (!existsSync(join(root, 'web', 'console'))) return
  const stamp = join(root, 'web', 'dist', PAGES_STAMP)
  const wanted = digestOf(root, [...PAGE_TOOLS, ...PAGE_WORDS, ...filesBelow(root, 'web')])
  await build(PAGES, 'build-web.mjs', { root, lockPath }, wanted, () =>
    existsSync(stamp) ? readFileSync(stamp, 'utf8') === wanted : false,
  )
}

/** Brings the bundles to what the sources say. Throws an Error whose message says what to do. */
export async function setUpBundles(root, lockPath) {
  if (!existsSync(join(root, 'src', 'main.ts'))) return
  const wanted = describeBundles(root)
  await build(SERVICE, 'build-bundles.mjs', { root, lockPath }, wanted, () => existsSync(wanted))
}

/** Runs a script of this folder with one argument, unless this process or another one has by now. */
async function build(what, script, { root, lockPath }, argument, isBuilt) {
  if (isBuilt()) return
  await withSetupLock(lockPath, async (share) => {
    if (!isBuilt()) await runBuild(what, [join(root, 'scripts', script), argument], root, share)
  })
}

/**
 * On the pinned Node; `share` learns the process id. Throws an Error whose message says what was to be built
 * and ends with what the script printed last.
 */
function runBuild([zh, en], args, root, share) {
  process.stdout.write(`steward: 正在构建${zh} (building ${en}) ...\n`)
  return new Promise((done, fail) => {
    const child = spawn(getNode(root), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    if (child.pid !== undefined) share(child.pid)
    const output = outputOf(child)
    child.on('error', fail)
    child.on('close', (code) => {
      if (code === 0) done()
      else {
        const line = `steward: 无法构建${zh}，见下面的输出 (cannot build ${en}: see below)`
        fail(new Error(withLastLines(line, output())))
      }
    })
  })
}
