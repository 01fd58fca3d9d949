// What became of the tests of a process, from what its tap printed.
import { inspect } from 'node:util'

/** Fields of a diagnosis that a reader needs, in this order; the rest repeats them. */
const SHOWN = ['tapError', 'diff', 'found', 'wanted', 'pattern', 'expired', 'stack']

/**
 * A test is a `t.test` that holds no other; a file with bare assertions only is one test.
 * A failure outside of every test (a throw, a wrong plan, a timeout, a bad exit) counts as a failed one.
 */
export class TapRun {
  #root
  /** How the process ended: `code` and `signal`. Set it before a verdict is asked for. */
  end = { code: null, signal: null }

  /** Feed the parser with the output of the process. */
  constructor(parser) {
    this.#root = treeOf(parser)
  }

  /** The verdict on all of it. */
  verdict() {
    return this.#verdictOn(this.#root, this.end.code === 0 && this.#root.isOk)
  }

  /**
   * The verdict on the part of one file of several, and its own seconds. What is wrong with the process and with
   * no file of it (it was ended, or failed behind the last test) is charged to the files that are not through.
   */
  verdictOf(file) {
    const block = this.#root.blocks.find(({ name }) => name === file)
    const own = block === undefined ? 0 : countFailures(block)
    const others = this.#root.blocks.reduce((sum, each) => sum + countFailures(each), 0)
    const isThrough = block !== undefined && block.closing !== null
    const isBlamed = !isThrough || own > 0 || (this.end.code !== 0 && others === 0)
    const verdict = this.#verdictOn(holdsTests(block) ? block : EMPTY, !isBlamed)
    const ms = block?.closing?.time
    return typeof ms === 'number' ? { ...verdict, seconds: ms / 1_000 } : verdict
  }

  #verdictOn(block, isClean) {
    const total = { passed: 0, skipped: [], failures: [] }
    addBlock(block, [], total)
    if (!isClean && total.failures.length === 0) {
      const { code, signal } = this.end
      const how = signal === null ? `exit code ${code}` : `ended by ${signal}`
      total.failures.push({ name: 'the file as a whole', text: how })
    }
    if (total.passed + total.skipped.length + total.failures.length === 0) {
      total.failures.push({ name: 'the file as a whole', text: 'it holds no test' })
    }
    return total
  }
}

const EMPTY = { name: '', blocks: [], points: [], errors: [], isOk: true, closing: null }

/** A file that makes no test is a passed one to tap. */
function holdsTests(block) {
  return (
    block !== undefined &&
    (block.blocks.length + block.points.length > 0 || isFailed(block.closing))
  )
}

function countFailures(block) {
  const total = { passed: 0, skipped: [], failures: [] }
  addBlock(block, [], total)
  return total.failures.length
}

/** The tree of tests that a parser sees: `closing` is the line by which the parent sums a test up. */
function treeOf(parser) {
  const block = { name: parser.name, blocks: [], points: [], errors: [], isOk: true, closing: null }
  parser.on('child', (child) => block.blocks.push(treeOf(child)))
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
  for (const point of block.points) {
    if (point.skip || point.todo) total.skipped.push(skippedName(path, point))
  }

  if (isTest) addTest(block, path, failed, total)
  else for (const point of failed) total.failures.push(describe(path, [point]))

  const isSilent = total.failures.length === failuresBefore
  if (!isTest && isSilent && isFailed(block.closing)) {
    total.failures.push(describe(path, [block.closing]))
  }
}

/** With the reason, where the test gives one. */
function skippedName(path, { name, skip }) {
  const title = [...path, name].join(' > ')
  return typeof skip === 'string' ? `${title} (${skip})` : title
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
  const isTimeout = points.some(({ diag }) => diag?.expired !== undefined)
  return { name, text: points.map(describePoint).join('\n'), isTimeout }
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
