import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { launchSidecar, spawnPython } from '../../../src/drivers/xt/launch.ts'
import { inTime } from '../../in-time.ts'
import { Lines, needPython, PYTHON } from './rig.ts'

/** A library that says more than a pipe holds, on a thread of its own. */
const TALKATIVE = `
import os
import threading
def talk():
    while True:
        os.write(2, b"a tick" + os.linesep.encode())
threading.Thread(target=talk, daemon=True).start()
`

/** A sidecar whose service stands still: nobody reads what it says. */
async function unread(t: Test, limits: Readonly<Record<string, number>>) {
  needPython()
  const folder = t.testdir({ xtquant: { '__init__.py': TALKATIVE } })
  const child = spawnPython(PYTHON, ['--spawned'])
  t.teardown(() => child.kill('SIGKILL'))
  const settings = {
    role: 'trade',
    token: 'token',
    folder: join(folder, 'journal'),
    xtquant_path: folder,
    limits,
  }
  child.stdin?.write(`${JSON.stringify(settings)}\n`)
  if (child.stdout === null) throw new Error('no standard output')
  const [line] = await inTime(once(createInterface(child.stdout), 'line'), 'that it is ready')
  t.match(line, /"port"/)
  return child
}

t.test('F331 a sidecar ends although nobody reads what it says', async (t) => {
  const child = await unread(t, { idle_exit_ms: 1 })
  const [code] = await inTime(once(child, 'exit'), 'its end')
  t.equal(code, 0)
})

/** A library that starts a program of its own, which has our standard error and outlives us. */
const STARTER = `
import subprocess
import sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL)
print("started %d" % child.pid)
`

t.test('F343 a sidecar has ended though a program that its library started has not', async (t) => {
  needPython()
  const folder = t.testdir({ xtquant: { '__init__.py': STARTER } })
  const log = new Lines()
  const settings = {
    role: 'trade' as const,
    token: 'token',
    folder: join(folder, 'journal'),
    xtquant_path: folder,
    limits: {},
  }
  const launch = { python: PYTHON, settings, masked: [], timeoutMs: 60_000, log }
  t.teardown(() => {
    for (const line of log.all) {
      const [, pid] = /^started (\d+)$/.exec(line) ?? []
      if (pid !== undefined) process.kill(Number(pid))
    }
  })
  for (const which of ['it', 'the next one in its folder']) {
    const { stop } = await launchSidecar(launch)
    await inTime(stop(), `the end of ${which}`)
  }
})

t.test('F332 what it is started with is read as UTF-8, whatever the computer writes', async (t) => {
  needPython()
  const folder = join(t.testdir(), '国金QMT交易端')
  mkdirSync(join(folder, 'xtquant'), { recursive: true })
  writeFileSync(join(folder, 'xtquant', '__init__.py'), '')
  // As on a Chinese Windows, by a Python that heeds no variables: the one that comes as a zip file.
  const child = spawnPython(PYTHON, ['--spawned'], { PYTHONUTF8: '0', PYTHONIOENCODING: 'gbk' })
  t.teardown(() => child.kill('SIGKILL'))
  const said = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  child.stdin?.end(`${JSON.stringify({ role: 'probe', xtquant_path: folder })}\n`)
  await inTime(once(child, 'close'), 'its answer')
  t.match(JSON.parse(said.out), { xtquant: { path: join(folder, 'xtquant') } })
  t.match(said.err, `importing xtquant from ${folder}`, 'and so is what it says')
})
