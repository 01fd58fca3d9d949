// Counts the tests of one file from what tap's parser makes of its output.
import { inspect } from 'node:util'

/** Fields of a diagnosis that a reader needs, in this order; the rest repeats them. */
const SHOWN = ['tapError', 'diff', 'found', 'wanted', 'pattern', 'expired', 'stack']

/**
 * A test is a `t.test` that holds no other; a file with bare assertions only is one test.
 * A failure outside of every test (a throw, a wrong plan, a timeout, a bad exit) counts as a failed one.
 */
export class TestCount {
  #root

  /** Feed the parser with the output of the file; call `finish` when it has ended. */
  constructor(parser) {
    this.#root = watch(parser)
  }

  /** The verdict; `end` is how the process ended. */
  finish(end) {
    const total = { passed: 0, skipped: [], failures: [] }
    addBlock(this.#root, [], total)
    const isClean = end.code === 0 && this.#root.isOk
    if (!isClean && total.failures.length === 0) {
      const how = end.signal === null ? `exit code ${end.code}` : `ended by ${end.signal}`
      total.failures.push({ name: 'the file as a whole', text: how })
    }
    if (total.passed + total.skipped.length + total.failures.length === 0) {
      total.failures.push({ name: 'the file as a whole', text: 'it holds no test' })
    }
    return total
  }
}

/** The tree of tests that a parser sees: `closing` is the line by which the parent sums a test up. */
function watch(parser) {
  const block = { name: parser.name, blocks: [], points: [], errors: [], isOk: true, closing: null }
  parser.on('child', (child) => block.blocks.push(watch(child)))
  parser.on('assert', (point) => {
    const last = block.blocks.at(-1)
    if (point.closingTestPoint && last !== undefined) last.closing = point
    else block.points.push(point)
  })
  parser.on('complete', (results) => {
    block.isOk = results.ok
    block.errors = results.failures.filter(({ tapError }) => typeof tapError === 'string')
  })
  return block
}

function addBlock(block, path, total) {
  const failuresBefore = total.failures.length
  for (const inner of block.blocks) addBlock(inner, [...path, inner.name], total)
  const isTest = block.blocks.length === 0
  const failed = [...block.points.filter(isFailed), ...block.errors]
  for (const { name, skip, todo } of block.points) {
    if (skip || todo) total.skipped.push([...path, name].join(' > '))
  }

  if (isTest) addTest(block, path, failed, total)
  else for (const point of failed) total.failures.push(describe(path, [point]))

  const isSilent = total.failures.length === failuresBefore
  if (!isTest && isSilent && isFailed(block.closing)) {
    total.failures.push(describe(path, [block.closing]))
  }
}

function addTest(block, path, failed, total) {
  if (failed.length > 0) total.failures.push(describe(path, failed))
  else if (isFailed(block.closing)) total.failures.push(describe(path, [block.closing]))
  else if (block.closing !== null || block.points.some(isPassed)) total.passed += 1
}

function isPassed(point) {
  return point.ok && !point.skip && !point.todo
}

function isFailed(point) {
  return point !== null && !point.ok && !point.skip && !point.todo
}

function describe(path, points) {
  const name = path.length > 0 ? path.join(' > ') : (points[0].name ?? 'outside of every test')
  return { name, text: points.map(describePoint).join('\n') }
}

function describePoint(point) {
  const diagnosis = { ...point.diag, tapError: point.tapError || undefined }
  const at = point.diag?.at
  const place = at?.fileName === undefined ? '' : `  (${at.fileName}:${at.lineNumber})`
  const lines = SHOWN.filter((field) => diagnosis[field] !== undefined).map((field) => {
    const value = diagnosis[field]
    return `${field}: ${typeof value === 'string' ? value.trim() : inspect(value, { depth: 6 })}`
  })
  return [`${point.name ?? ''}${place}`, ...lines].join('\n')
}
