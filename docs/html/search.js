// SPDX-License-Identifier: BSD-3-Clause
//
// The search: index.js has the headings with their text, and the page of each function. All words
// must occur; names and titles come before headings, headings before text, and what users read
// before records and measurements.
'use strict';

const LIMIT = 20;
const ASIDE = /^(docs\/(adr|results|bench)|tests|study|bench|CHANGELOG)/;

// How well an entry of the index fits the words; 0: not at all.
function weight(entry, words) {
    const [page, , title, heading, text] = entry.lower;
    let sum = 0;
    for (const word of words) {
        if (title.includes(word))
            sum += heading ? 30 : 100;
        else if (heading.includes(word))
            sum += 40;
        else if (text.includes(word))
            sum += 1 + Math.min(9, text.split(word).length - 2);
        else
            return 0;
    }
    return ASIDE.test(page) ? sum / 4 : sum;
}

// Up to LIMIT of {link, title, heading, text}, best first.
function search(query, pages, functions) {
    const words = query.toLowerCase().split(/[\s()]+/).filter((word) => word);
    const found = [];
    if (!words.length)
        return found;
    if (words.length === 1) {
        const names = Object.keys(functions).filter((name) => name.toLowerCase().includes(words[0]));
        names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
        for (const name of names.slice(0, 8))
            found.push({link: functions[name], title: name + '(3)', heading: '', text: ''});
    }
    const hits = [];
    for (const entry of pages) {
        entry.lower = entry.lower || [entry[0], ...entry.slice(1).map((part) => part.toLowerCase())];
        const sum = weight(entry, words);
        if (sum)
            hits.push([sum, entry]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    const taken = new Set(found.map((one) => one.link + '/' + one.title));
    for (const [, entry] of hits) {
        const [page, anchor, title, heading, text] = entry;
        if (found.length >= LIMIT)
            break;
        if (!heading && taken.has(page + '/' + title))
            continue;
        const at = Math.max(0, entry.lower[4].indexOf(words[0]) - 60);
        found.push({
            link: page + (anchor ? '#' + anchor : ''), title, heading,
            text: (at ? '… ' : '') + text.slice(at, at + 180),
        });
    }
    return found;
}

function line(root, one) {
    const row = document.createElement('a');
    row.href = root + '/' + one.link;
    row.setAttribute('role', 'option');
    const title = document.createElement('b');
    title.textContent = one.title;
    row.append(title, one.heading ? ' - ' + one.heading : '');
    const text = document.createElement('span');
    text.textContent = one.text;
    row.append(text);
    return row;
}

function start() {
    const root = document.body.dataset.root;
    const query = document.getElementById('query'), results = document.getElementById('results');
    let chosen = -1;
    function show() {
        const found = search(query.value, PAGES, FUNCTIONS);
        chosen = -1;
        results.replaceChildren(...found.map((one) => line(root, one)));
        if (!found.length) {
            const none = document.createElement('p');
            none.textContent = 'Nothing found.';
            results.append(none);
        }
        results.hidden = !query.value.trim();
    }
    function move(step) {
        const rows = [...results.querySelectorAll('a')];
        chosen = rows.length ? (chosen + step + rows.length) % rows.length : -1;
        rows.forEach((row, i) => row.classList.toggle('chosen', i === chosen));
        if (rows[chosen])
            rows[chosen].scrollIntoView({block: 'nearest'});
    }
    query.addEventListener('input', () => {
        if (typeof PAGES !== 'undefined')
            return show();
        if (document.getElementById('index'))
            return undefined;
        const index = document.createElement('script');
        index.id = 'index';
        index.src = root + '/index.js';
        index.onload = show;
        document.body.append(index);
        return undefined;
    });
    document.addEventListener('keydown', (event) => {
        if (event.key === '/' && document.activeElement !== query) {
            event.preventDefault();
            query.focus();
        } else if (event.key === 'Escape') {
            results.hidden = true;
        } else if (document.activeElement === query && !results.hidden) {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
                event.preventDefault();
                move(event.key === 'ArrowDown' ? 1 : -1);
            } else if (event.key === 'Enter') {
                const rows = results.querySelectorAll('a');
                if (rows.length)
                    rows[Math.max(0, chosen)].click();
            }
        }
    });
    const nav = document.querySelector('nav'), current = nav.querySelector('[aria-current]');
    if (current)
        nav.scrollTop = current.offsetTop - nav.offsetTop - nav.clientHeight / 2;
    const wanted = new URLSearchParams(location.search).get('q');
    if (wanted) {
        query.value = wanted;
        query.dispatchEvent(new Event('input'));
    }
}

if (typeof document !== 'undefined')
    start();
else
    module.exports = {search};
