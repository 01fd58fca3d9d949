// Takes the lock of a log in a process of its own: LMDB cannot even be opened while its writer sleeps, whoever
// waits for it stands, and a thread that stands cannot be ended. Plain JavaScript: it starts without types to
// strip and without a bundle. Takes the folder of the lock as its argument; says `locked` once it has it, and
// gives it back when standard input ends.
import { existsSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'

/** As `OPTIONS` of src/storage/open-environment.ts. */
const OPTIONS = { noSubdir: false, safeRestore: true, overlappingSync: false, maxDbs: 32 }
const [, , folder] = process.argv
const AGAIN_MS = 5

/** Nothing is ever sent: it ends when whoever waits for us has read the log, or is gone. */
function untilInputEnds() {
  const nap = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    try {
      if (readSync(0, Buffer.alloc(1)) === 0) return
    } catch (error) {
      if (error.code !== 'EAGAIN') return // Windows tells the end of a pipe as an error
      Atomics.wait(nap, 0, 0, AGAIN_MS)
    }
  }
}

if (!existsSync(join(folder, 'data.mdb'))) process.exit(1) // it was removed; opening it would make one
const root = open({ path: folder, ...OPTIONS, encoding: 'binary' })
root.transactionSync(() => {
  writeSync(1, 'locked\n')
  untilInputEnds()
})
process.exit(0)
