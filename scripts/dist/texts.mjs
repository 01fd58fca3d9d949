// Texts as the editor of the platform expects them. Pure.

/** As Windows wants its command files and texts. */
export const withCrlf = (text) => text.replace(/\r?\n/g, '\r\n')

/** A text for the editor of Windows: with the mark by which every release of it knows UTF-8. */
export const asWindowsText = (text) => `\ufeff${withCrlf(text)}`

const SAME_LICENCE = [
  [/^node-(win|linux|bin)-/, /^node-(linux|win|bin)-/],
  [/^@lmdb\//, /^lmdb$/],
  [/^@msgpackr-extract\//, /^msgpackr-extract$/],
  [/^@napi-rs\/nice-/, /^@napi-rs\/nice$/],
]

/**
 * Everything of others in the archive with its licence: `packages` with name, version, licence, publisher and
 * the texts found beside it. A binary that is published apart bears the licence of the package it belongs to.
 */
export function noticeText(packages) {
  const table = packages.map(
    ({ name, version, license, publisher }) =>
      `${name} ${version}  ${license}${publisher === undefined ? '' : `  ${publisher}`}`,
  )
  const blocks = packages.map((each) => {
    const texts = textsOf(each, packages)
    const body = texts.length > 0 ? texts.join('\n\n') : `Licence: ${each.license}`
    return `${'='.repeat(78)}\n${each.name} ${each.version} (${each.license})\n\n${body.trim()}\n`
  })
  return [
    'Steward contains code of others. 本程序包含下列第三方软件。',
    '',
    ...table,
    '',
    ...blocks,
  ].join('\n')
}

function textsOf(each, packages) {
  if (each.texts.length > 0) return each.texts
  const rule = SAME_LICENCE.find(([own]) => own.test(each.name))
  const sibling = packages.find(({ name, texts }) => rule?.[1].test(name) && texts.length > 0)
  return sibling?.texts ?? []
}
