import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A processor for itself until its time is up, also when nobody ends it. */
const HOG =
  'process.stdout.write("busy"); const end = Date.now() + Number(process.argv[1]); while (Date.now() < end);'

/** So many processes that compute for nothing, for so long at most. Resolves when all do, with what ends them. */
export async function startHogs(count: number, msMax: number): Promise<() => Promise<void>> {
  const hogs = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', HOG, String(msMax)], { stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  await Promise.all(hogs.map(({ stdout }) => once(stdout, 'data')))
  return async () => {
    await Promise.all(hogs.map(end))
  }
}

async function end(hog: ChildProcess): Promise<void> {
  if (hog.exitCode !== null || hog.signalCode !== null) return
  const gone = once(hog, 'exit')
  hog.kill('SIGKILL')
  await gone
}
