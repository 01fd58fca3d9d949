// Plain JavaScript: it runs in every thread before anything else is loaded.
'use strict'
const { createHash } = require('node:crypto') // accounts load it anyway; one more module of Node costs a thread a millisecond or two
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { dirname } = require('node:path')
const { Script } = require('node:vm')
const { threadId } = require('node:worker_threads')

/** After this a thread that is ready has run all that a start runs, and a sale. */
const COMPILED_AFTER_MS = 2_000
/**
 * Stands before the compiled code. The engine knows code of another engine; of the text it compares nothing but the
 * length, and the rest it takes on trust.
 */
const digestOf = (text, code) => createHash('sha1').update(text).update(code).digest()
const DIGEST_BYTES = 20
/** Of the digest and what fills it up: code at an odd address would be copied by the engine. */
const HEAD_BYTES = 24

/**
 * Runs a bundle that is the text of one asynchronous function. What the engine has made of it is kept in `compiled`,
 * with every function that ran: the next thread neither reads nor compiles them, where a module would
 * have it compile each anew. A file that cannot be read, is damaged or of another engine changes nothing. `shared` is
 * what {@link shareBundle} has read.
 * Resolves when the bundle has run, with whether it was known.
 */
async function runScript({
  file,
  address,
  compiled,
  shared,
  isOneOfMany = false,
  keepAfterMs = COMPILED_AFTER_MS,
}) {
  const text = shared === undefined ? readFileSync(file) : Buffer.from(shared.text)
  const cachedData = shared?.code ?? compiledOf(text, compiled)
  const script = new Script(text.latin1Slice(), { filename: address, cachedData })
  const meta = { url: address, resolve: addressOf }
  await script.runInThisContext()(load, meta)
  const isKnown = cachedData !== undefined && script.cachedDataRejected !== true
  if (!isKnown) {
    // Beside a bundle that is gone it would look like one that is there.
    const keepIt = () => existsSync(file) && keep(text, compiled, script.createCachedData())
    // Without what runs when it is ready, but the others need not compile the rest.
    if (isOneOfMany && !existsSync(compiled)) keepIt()
    setTimeout(keepIt, keepAfterMs).unref()
  }
  return isKnown
}

/** Node's own without its loader of modules, which an account needs for nothing else. */
const load = (name) => (name.startsWith('node:') ? require(name) : import(name))

/**
 * A bundle and what the engine has made of it, in memory that all threads share: read and checked once. Each
 * thread would otherwise take and give back megabytes, of which the system's allocator keeps most in pieces.
 * The bundle alone where nothing has been kept yet: its file may be gone when the next thread starts.
 */
function shareBundle({ file, compiled }) {
  const text = readFileSync(file)
  const code = compiledOf(text, compiled)
  return { text: shared(text).buffer, code: code && shared(code) }
}

function shared(bytes) {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}

function addressOf(name) {
  const { resolve } = require('./resolve.mjs')
  return resolve(name)
}

function compiledOf(text, file) {
  if (!existsSync(file)) return undefined
  try {
    const bytes = readFileSync(file)
    const code = bytes.subarray(HEAD_BYTES)
    return bytes.subarray(0, DIGEST_BYTES).equals(digestOf(text, code)) ? code : undefined
  } catch {
    return undefined
  }
}

function keep(text, file, code) {
  const draft = `${file}.${process.pid}-${threadId}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(
      draft,
      Buffer.concat([digestOf(text, code), Buffer.alloc(HEAD_BYTES - DIGEST_BYTES), code]),
    )
    renameSync(draft, file)
  } catch {} // it is made anew each time, as before there was such a file
}

module.exports = { runScript, shareBundle }
