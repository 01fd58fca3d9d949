import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url))

function run(args: readonly string[]) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [RUN, ...args], (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

t.test('wrong names and options are refused with the names there are', async (t) => {
  const unknown = await run(['reed'])
  t.equal(unknown.code, 2)
  t.match(unknown.err, /no bench reed; there are tick, ticks, ask, read, /)
  t.match((await run(['--rounds', '0', 'tick'])).err, /whole number/)
})

t.test('a bench is run in its own process, printed and kept with the machine', async (t) => {
  const file = join(t.testdir(), 'results.json')
  const { code, out } = await run(['--rounds', '1', '--out', file, 'tick'])
  t.equal(code, 0)
  t.match(out, /tick, 1 account a code +ns\/tick/)
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  t.match(kept, {
    date: /^\d{4}-\d{2}-\d{2}T/,
    machine: { cpu: String, cores: Number, node: process.version },
    rounds: 1,
  })
  t.ok(kept.rows.length > 0)
  for (const row of kept.rows) t.match(row, { bench: /^tick/, unit: String, ours: Number })
})
