// npm run check: format and lint, types, layers, dead code. Every one runs, the slow ones side by side.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { failWith, getNode, outputOf, ROOT } from './runtime.mjs'
import { setUp } from './setup.mjs'

const JOBS_MAX = 2

const CHECKS = [
  ['types', 'typescript-native/bin/tsc', ['-p', '.']],
  ['types of the pages', 'vue-tsc/bin/vue-tsc.js', ['-p', 'web']],
  ['layers', 'dependency-cruiser/bin/dependency-cruise.mjs', layerArgs()],
  ['dead code', 'knip/bin/knip.js', ['--no-progress', '--no-config-hints']],
  ['format and lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings']],
]

function layerArgs() {
  const rooms = ['src', 'actors', 'http', 'bench', 'web']
  return ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...rooms]
}

function run(node, [name, file, args]) {
  const startedAt = Date.now()
  return new Promise((done) => {
    const child = spawn(node, [join(ROOT, 'node_modules', file), ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Tools that start `node` themselves find the same one.
      env: { ...process.env, PATH: dirname(node) + delimiter + process.env['PATH'] },
    })
    const output = outputOf(child)
    child.on('error', (error) => process.stdout.write(`${error.message}\n`))
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1)
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name}  ${seconds} s\n`)
      if (code !== 0) process.stdout.write(`${output().trimEnd()}\n`)
      done(code === 0)
    })
  })
}

async function check() {
  await setUp()
  const node = getNode()
  const queue = [...CHECKS]
  const results = []
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results.push(await run(node, next))
    }
  }
  const jobs = Math.min(JOBS_MAX, availableParallelism?.() ?? 1)
  await Promise.all(Array.from({ length: jobs }, work))
  return results.every((isOk) => isOk)
}

try {
  process.exitCode = (await check()) ? 0 : 1
} catch (error) {
  failWith(error, 1)
}
