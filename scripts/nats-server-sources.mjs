// From where a computer takes the packages of its distribution, said anew for the newest suite. Pure text.

/** What the main archive is called in a source; the suites of updates, of security and of others have other names. */
const SUITES = ['stable', 'testing', 'unstable', 'sid']
const NEWEST = 'sid'
const OWN_KEY = /debian-archive/

/**
 * The sources of Debian's main archive among `files` ({ path, text }), as { uri, key }. `release` is the text of
 * /etc/os-release; on anything but Debian itself there is none.
 */
export function debianEntries(files, release) {
  if (!/^ID="?debian"?$/m.test(release)) return []
  const codename = /^VERSION_CODENAME="?(\w+)"?$/m.exec(release)?.[1]
  const suites = [codename, ...SUITES]
  const entries = files.flatMap(({ path, text }) => {
    if (path.endsWith('.sources')) return text.split(/\n\s*\n/).map(entryOfStanza)
    return path.endsWith('.list') ? text.split('\n').map(entryOfLine) : []
  })
  return entries
    .filter((entry) => entry?.types.includes('deb'))
    .filter((entry) => entry.suites.some((suite) => suites.includes(suite)))
    .filter((entry) => entry.components.includes('main'))
    .filter(({ key }) => key === '' || OWN_KEY.test(key))
    .flatMap(({ uris, key }) => uris.map((uri) => ({ uri, key })))
}

/** The same archives with the newest suite, in the form of a `.sources` file; empty when there is none. */
export function newestSources(entries) {
  return entries.map(({ uri, key }) => stanza(uri, key)).join('\n')
}

function stanza(uri, key) {
  const lines = ['Types: deb', `URIs: ${uri}`, `Suites: ${NEWEST}`, 'Components: main']
  return `${[...lines, ...(key === '' ? [] : [`Signed-By: ${key}`])].join('\n')}\n`
}

function entryOfStanza(text) {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'))
  const field = (name) => {
    const start = `${name.toLowerCase()}:`
    const line = lines.find((each) => each.toLowerCase().startsWith(start))
    return line === undefined ? '' : line.slice(start.length).trim()
  }
  if (/^no$/i.test(field('Enabled'))) return undefined
  const words = (name) => field(name).split(/\s+/).filter(Boolean)
  return {
    types: words('Types'),
    uris: words('URIs'),
    suites: words('Suites'),
    components: words('Components'),
    key: field('Signed-By'),
  }
}

/** `deb [signed-by=/a/key arch=amd64] uri suite component …` */
function entryOfLine(line) {
  const match = /^\s*(deb)\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s+([^#]*)/.exec(line)
  if (match === null) return undefined
  const [, type, options = '', uri, suite, components] = match
  const key = /signed-by=(\S+)/.exec(options)?.[1] ?? ''
  return {
    types: [type],
    uris: [uri],
    suites: [suite],
    components: components.trim().split(/\s+/),
    key,
  }
}
