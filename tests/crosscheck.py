#!/usr/bin/env python3
"""Compares `perplex referee` with python-chess (ordinary chess) and Fairy-Stockfish (changed rules).

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install chess pyffish
    /tmp/venv/bin/python tests/crosscheck.py target/release/perplex [--positions 4000] [--seed 1]

Random games and random placements, random Betza texts of the subset that RULES.md gives. Compared are the
legal moves, check, mate and stalemate, the position text of ordinary chess, and whether a position is refused
because the king of the side not to move is attacked. What Fairy-Stockfish is known to do otherwise is left out:

- one kind gets one mode (a slide of one range, `p`, `g` or `n`) on the same line for the same use, no
  doubled letters but WW FF NN, no `n` on riders: the binding keeps one distance for each line;
- captures in passing where the pawn's ordinary step also reaches the square (either the square passed over or
  the square that the double step reaches), and double steps over more than one square;
- castling where some kind has `nD`.

What is left out there is compared with `Slow`, which reads RULES.md once more and walks square by square: any mixture
of terms, whatever lies on one line.

Every rule card of `perplex cards` is played, and its rule compared with whichever of the two reads it.

And python-chess lets a pawn on its own first rank make a double step.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import time

import chess
import pyffish

ORDINARY = {"P": "fmWfceFifmnD", "N": "N", "B": "B", "R": "R", "Q": "Q"}
STRAIGHT, DIAGONAL, OBLIQUE = "straight", "diagonal", "oblique"
# What each atom occupies: for each line at most one mode is given to a kind.
LINES = {"W": STRAIGHT, "R": STRAIGHT, "D": STRAIGHT, "H": STRAIGHT, "F": DIAGONAL, "B": DIAGONAL, "A": DIAGONAL,
         "G": DIAGONAL, "N": OBLIQUE}


class Referee:
    """The program under test, over a pipe."""

    def __init__(self, binary):
        self.pipe = subprocess.Popen([binary, "referee"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **question):
        question.setdefault("game", "flexichess")
        self.pipe.stdin.write(json.dumps(question) + "\n")
        self.pipe.stdin.flush()
        return json.loads(self.pipe.stdout.readline())


class Tally:
    """Counts what was compared; stops at the first difference."""

    def __init__(self):
        self.positions = 0
        self.counts = {}

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def same(self, what, ours, theirs, **place):
        if ours == theirs:
            return
        print(f"\nDIFFERENCE in {what}")
        if isinstance(ours, (list, set)) and isinstance(theirs, (list, set)):
            print("  only perplex:  ", " ".join(sorted(set(ours) - set(theirs))))
            print("  only the other:", " ".join(sorted(set(theirs) - set(ours))))
        else:
            print("  perplex:  ", ours)
            print("  the other:", theirs)
        for key, value in place.items():
            print(f"  {key}: {value if isinstance(value, str) else json.dumps(value)}")
        sys.exit(1)


def random_placement(rng, first_rank):
    """A position with both kings and some pieces, often with castling rights; pawns on their `first_rank`?"""
    board = {}
    rights = ""
    for side, rank, letters in (("w", 0, "KRQ"), ("b", 7, "krq")):
        king, rook, queen = letters
        if rng.random() < 0.5:
            board[4 + 8 * rank] = king
            for right, file in ((king, 7), (queen, 0)):
                if rng.random() < 0.7:
                    board[file + 8 * rank] = rook
                    rights += right
        else:
            board[rng.choice([s for s in range(8, 56) if s not in board])] = king
    for _ in range(rng.randrange(2, 26)):
        square = rng.randrange(64)
        if square in board:
            continue
        letter = rng.choice("PPPNBRQpppnbrq")
        if letter == "P" and square >= 56 or letter == "p" and square < 8:
            continue
        if not first_rank and letter in "Pp" and not 8 <= square < 56:
            continue
        board[square] = letter
    rows = []
    for rank in range(7, -1, -1):
        row, empty = "", 0
        for file in range(8):
            piece = board.get(file + 8 * rank)
            if piece is None:
                empty += 1
            else:
                row += (str(empty) if empty else "") + piece
                empty = 0
        rows.append(row + (str(empty) if empty else ""))
    order = "".join(c for c in "KQkq" if c in rights)
    return f"{'/'.join(rows)} {rng.choice('wb')} {order or '-'} - {rng.randrange(40)} {rng.randrange(1, 90)}"


# ---------------------------------------------------------------------------------- ordinary chess


def expected_of(board):
    legal = sorted(move.uci() for move in board.legal_moves)
    if legal:
        result, reason = None, None
    elif board.is_check():
        result, reason = ("second" if board.turn else "first"), "checkmate"
    else:
        result, reason = "draw", "stalemate"
    return legal, result, reason


def compare_ordinary(referee, tally, board, question):
    answer = referee.ask(want=["legal", "turns"], **question)
    legal, result, reason = expected_of(board)
    if not answer["ok"]:
        tally.same("acceptance", answer["error"], "accepted", question=question)
    tally.positions += 1
    tally.same("check", answer["check"], board.is_check(), question=question)
    tally.same("position", answer["position"], board.fen(), question=question)
    if answer["reason"] in ("repetition", "no-progress"):
        return False
    tally.same("legal moves", answer["legal"], legal, question=question, fen=board.fen())
    tally.same("result", (answer["result"], answer["reason"]), (result, reason), question=question)
    return bool(legal)


def ordinary_games(referee, tally, rng, positions):
    """Random games of ordinary chess, written in coordinates, SAN or numbers at random."""
    end = tally.positions + positions
    while tally.positions < end:
        board = chess.Board()
        question = {"turns": []}
        if rng.random() < 0.5:
            board = chess.Board(random_placement(rng, first_rank=False))
            if not board.is_valid():
                answer = referee.ask(fen=board.fen())
                attacked = board.was_into_check()
                status = board.status()
                if status == chess.STATUS_OPPOSITE_CHECK:
                    tally.same("acceptance", answer["ok"], False, fen=board.fen(), attacked=attacked)
                    tally.count("positions refused")
                    continue
                if status & chess.STATUS_OPPOSITE_CHECK:
                    continue
            question["fen"] = board.fen()
        for _ in range(rng.randrange(1, 120)):
            if not compare_ordinary(referee, tally, board, question):
                break
            move = rng.choice(list(board.legal_moves))
            ways = [move.uci(), board.san(move), move.uci().upper()]
            number = lambda s: (7 - s // 8) * 8 + s % 8 + 1
            letter = "=" + chess.piece_symbol(move.promotion).upper() if move.promotion else ""
            ways.append(f"{number(move.from_square)}-{number(move.to_square)}{letter}")
            question["turns"].append(rng.choice(ways))
            board.push(move)
        tally.count("ordinary games")


# ----------------------------------------------------------------------------------- changed rules


def directions(rng, atom):
    """A run of directions for an atom, or none."""
    if rng.random() < 0.45:
        return ""
    if atom in "WDHR":
        letters = rng.sample("fblr", rng.randrange(1, 4)) if rng.random() < 0.8 else [rng.choice("vs")]
        return "".join(letters)
    if atom in "FAGB":
        return rng.choice(["f", "b", "l", "r", "fl", "fr", "bl", "br", "lf", "rf", "lb", "rb", "v", "s", "flbr", "frf"])
    if atom in "KQ":
        return rng.choice(["f", "b", "l", "r", "fb", "lr", "v", "s"])
    return rng.choice(["f", "ff", "b", "l", "r", "v", "s", "fh", "bh", "lh", "rh", "fs", "bs", "lv", "rv", "lf", "rf", "lb",
                       "rb", "fl", "fr", "bl", "br", "hr", "hl", "ffrr", "ffbb", "bbll", "lfrf", "flrb"])


def take(taken, use, atom, mode, riding):
    """Whether the binding keeps this term apart from those before it: it keeps one distance for each use and line."""
    kind = mode or ("slide" + riding if riding or atom in "RBQ" else "")
    families = {"K": [STRAIGHT, DIAGONAL], "Q": [STRAIGHT, DIAGONAL]}.get(atom, [LINES.get(atom, atom)])
    keys = [(u, family) for u in use or "mc" for family in families]
    if any(key in taken and (taken[key] != kind or kind == "n") for key in keys):
        return False
    taken |= dict.fromkeys(keys, kind)
    return True


def random_betza(rng, pawn):
    """A movement of the subset that Fairy-Stockfish reads as the rules mean it."""
    if rng.random() < 0.03:
        return "-"
    terms = []
    # For each use and line, the mode already given.
    taken = {}
    for _ in range(rng.choice([1, 1, 2, 2, 3, 4])):
        atom = rng.choice("WFDNAHCLZJGKRBQWFNKRBQRB")
        mode, riding = "", ""
        if atom in "RBQ":
            mode = rng.choice(["", "", "", "p", "g"])
        elif atom in "DAN" and rng.random() < 0.4:
            mode = "n"
        if not mode and atom in "WFNKRBQ" and rng.random() < 0.4:
            riding = str(rng.randrange(1, 10)) if rng.random() < 0.7 or atom in "KRBQ" else atom
            if rng.random() < 0.1:
                riding = "0"
        use = rng.choice(["", "", "", "m", "c"])
        if not take(taken, use, atom, mode, riding):
            continue
        order = [directions(rng, atom), use, mode]
        rng.shuffle(order)
        term = "".join(order) + atom + riding
        # Two terms must not look like a doubled atom.
        if not terms or terms[-1][-1] != term[0]:
            terms.append(term)
    if pawn and rng.random() < 0.7:
        return rng.choice(["fmWfceF", "fmWfceFifmnD", "fmWfceFifmnDifmnA", "fmWfcFifmD", "fsmWfceFifmnD", "fmFfceWifmnA",
                           "fmWceFifmnD", "fmWfceFifmnDismnD", "fmWbcWfceFifmnD", "fmWfceFrfceNifmnD", "mWfceFifmD", "fmRfceF",
                           "fmWfceFifmR3", "fceFifmnDmN", "fmWfceFceNifmnD", "cegRfmWifmnD", "fmWceBifmnDifmA"])
    return "".join(terms) or "-"


def variant(name, rules, promotions):
    lines = [f"[{name}:chess]", *(f"{kind} = -" for kind in ("pawn", "knight", "bishop", "rook", "queen"))]
    for index, kind in enumerate("PNBRQ", 1):
        betza = rules.get(kind, ORDINARY[kind])
        lines.append(f"customPiece{index} = {kind.lower()}:{'' if betza == '-' else betza}")
    lines += [f"promotionPieceTypes = {promotions.lower()}", "promotionPawnTypes = p", "enPassantTypes = p",
              "nMoveRuleTypes = p", "castlingRookPieces = r", "stalemateValue = draw"]
    return "\n".join(lines) + "\n"


class Slow:
    """The rules of movement once more, as plainly as possible: every move is walked, made, and looked at."""

    LEGS = {"W": (0, 1), "F": (1, 1), "D": (0, 2), "N": (1, 2), "A": (2, 2), "H": (0, 3), "C": (1, 3), "L": (1, 3),
            "Z": (2, 3), "J": (2, 3), "G": (3, 3), "R": (0, 1), "B": (1, 1)}
    TERM = re.compile(r"([a-z]*)([A-Z])(\d|\2)?")

    def __init__(self, rules, promotions):
        self.terms = {kind: self.parse(rules.get(kind, betza)) for kind, betza in ORDINARY.items()}
        self.terms["K"] = self.parse("K")
        self.promotions = promotions.lower()
        self.changed = {}

    def parse(self, betza):
        terms = []
        for modifiers, atom, riding in self.TERM.findall("" if betza == "-" else betza):
            limit = 99 if atom in "RBQ" else 1
            if riding:
                limit = int(riding) or 99 if riding.isdigit() else 99
            run = "".join(c for c in modifiers if c in "fblrvsh")
            use = [c for c in "mc" if c in modifiers] or ["m", "c"]
            mode = "".join(c for c in modifiers if c in "pgn")
            for part in {"K": "WF", "Q": "RB"}.get(atom, atom):
                for ray in self.rays(part, run):
                    terms.append((ray, limit, use, mode, "i" in modifiers, "e" in modifiers))
        return terms

    def rays(self, atom, run):
        short, long = self.LEGS[atom]
        every = {(x * a, y * b) for x, y in ((short, long), (long, short)) for a in (1, -1) for b in (1, -1)}
        towards = {"f": lambda x, y: y > 0, "b": lambda x, y: y < 0, "l": lambda x, y: x < 0, "r": lambda x, y: x > 0}
        if not run:
            return every
        if short == 0:
            run = run.replace("v", "fb").replace("s", "lr")
            return {ray for ray in every for c in run if towards[c](*ray)}
        tokens = re.findall(r"[fbvh][lrsh]|[lrsh][fbvh]|(?:ff|bb|ll|rr|vv|ss)|.", run)
        if short == long:
            keep = lambda token, ray: all(c in "vs" or towards[c](*ray) for c in token)
            return {ray for ray in every for token in tokens if keep(token, ray)}
        return {ray for ray in every for token in tokens if self.oblique(token, *ray)}

    @staticmethod
    def oblique(token, x, y):
        upright = abs(y) > abs(x)
        # The long leg's way, and the short one's.
        long = ("f" if y > 0 else "b") if upright else ("r" if x > 0 else "l")
        near = ("r" if x > 0 else "l") if upright else ("f" if y > 0 else "b")
        if token[0] == token[-1]:
            return token[0] == long or token[0] == "v" and upright or token[0] == "s" and not upright
        if token in ("hr", "hl"):
            return (token == "hr") == ((long, near) in {("f", "r"), ("r", "b"), ("b", "l"), ("l", "f")})
        if token[1] == "h":
            return token[0] in (long, near)
        if token[1] in "vs":
            return near == token[0] and upright == (token[1] == "v")
        return token == near + long

    def walk(self, board, square, use, passing=False):
        """Where the piece on `square` goes for a use; with whether it is a first step, and the step."""
        piece = board[square]
        forward = 1 if piece.isupper() else -1
        home = 1 if piece.isupper() else 6
        x, y = square % 8, square // 8
        for (dx, dy), limit, uses, mode, initial, en_passant in self.terms[piece.upper()]:
            if passing and not en_passant or not passing and use not in uses:
                continue
            if initial and y != home:
                continue
            dx, dy = dx * forward, dy * forward
            at, jumped = (x, y), 0
            for count in range(1, limit + 1):
                at = (at[0] + dx, at[1] + dy)
                if not (0 <= at[0] < 8 and 0 <= at[1] < 8):
                    break
                target = at[0] + 8 * at[1]
                full = target in board
                if mode == "n":
                    half = (dx // 2 if abs(dx) == 2 else 0, dy // 2 if abs(dy) == 2 else 0)
                    if (x + half[0]) + 8 * (y + half[1]) in board:
                        break
                if mode in ("", "n"):
                    yield target, initial, (dx * count, dy * count)
                    if full:
                        break
                elif mode == "p":
                    if jumped == 1:
                        yield target, initial, None
                    jumped += full
                    if jumped == 2:
                        break
                elif mode == "g":
                    if jumped:
                        yield target, initial, None
                        break
                    jumped += full

    def attacked(self, board, square, white):
        """Whether a piece of the side captures on `square`."""
        return any(piece.isupper() == white and any(to == square for to, *_ in self.walk(board, at, "c"))
                   for at, piece in board.items())

    def legal(self, board, white, rights, passed, pawn):
        """All legal moves, with the position after each."""
        letter = "K" if white else "k"
        king = next(at for at, piece in board.items() if piece == letter)
        name = lambda s: "abcdefgh"[s % 8] + str(s // 8 + 1)
        last = 7 if white else 0
        moves = {}
        for at, piece in board.items():
            if piece.isupper() != white:
                continue
            quiet = [(to, first, by) for to, first, by in self.walk(board, at, "m") if to not in board]
            plain = {to for to, first, _ in quiet if not first}
            captures = {to for to, *_ in self.walk(board, at, "c") if to in board and board[to].isupper() != white}
            found = [(to, None, None) for to in plain | captures]
            for to, first, by in quiet:
                if first and to not in plain:
                    middle = None
                    if by and max(map(abs, by)) == 2 and 1 not in map(abs, by):
                        middle = at + by[0] // 2 + by[1] // 2 * 8
                        middle = None if middle in board else middle
                    found.append((to, None, middle))
            if passed is not None and piece in "Pp" and passed not in {to for to, *_ in quiet}:
                if any(to == passed for to, *_ in self.walk(board, at, "", passing=True)):
                    found.append((passed, pawn, None))
            for to, taken, middle in found:
                after = dict(board)
                del after[at]
                after.pop(taken, None)
                after[to] = piece
                if not self.attacked(after, to if piece == letter else king, not white):
                    promotes = piece in "Pp" and to // 8 == last
                    for promotion in self.promotions if promotes else [""]:
                        moves[name(at) + name(to) + promotion] = middle
        home = 4 if white else 60
        for right in rights.strip("-"):
            if right.isupper() != white:
                continue
            rook, step = (home + 3, 1) if right in "Kk" else (home - 4, -1)
            between = range(home + step, rook, step)
            bare = {at: piece for at, piece in board.items() if at != home}
            if any(at in board for at in between):
                continue
            if any(self.attacked({**bare, home + step * n: letter}, home + step * n, not white) for n in range(3)):
                continue
            after = {at: piece for at, piece in bare.items() if at != rook}
            after |= {home + 2 * step: letter, home + step: "R" if white else "r"}
            if not self.attacked(after, home + 2 * step, not white):
                moves[name(home) + name(home + 2 * step)] = None
        return moves


def wild_betza(rng, pawn):
    """Any movement of the subset, as the grammar allows it."""
    terms = []
    for _ in range(rng.choice([1, 1, 2, 2, 3, 3, 4, 5])):
        atom = rng.choice("WFDNAHCLZJGKRBQWFNKRBQRBDAN")
        mode, riding = "", ""
        if atom in "RBQ":
            mode = rng.choice(["", "", "p", "g"])
        elif atom in "DAN" and rng.random() < 0.5:
            mode = "n"
        if not mode and atom in "WFNKRBQ" and rng.random() < 0.5:
            riding = atom if atom in "WFN" and rng.random() < 0.3 else str(rng.randrange(10))
        use = rng.choice(["", "", "m", "c", "mc"])
        first = "i" if pawn and use == "m" and rng.random() < 0.6 else ""
        passing = "e" if pawn and not first and rng.random() < 0.4 else ""
        order = [first, directions(rng, atom), *use, passing, mode]
        rng.shuffle(order)
        term = "".join(order) + atom + riding
        if not terms or terms[-1][-1] != term[0]:
            terms.append(term)
    if pawn and rng.random() < 0.7:
        terms.append(rng.choice(["ifmnD", "ifmD", "ifmnA", "ismD", "ifmR", "imQ2", "imK2", "ifmnDifmnA"]))
        terms.append(rng.choice(["fceF", "fceF", "ceK", "ceQ", "fceFceN", "eF", "fmecpQ"]))
        terms.append(rng.choice(["fmW", "fmW", "", "mW"]))
    if any(term and before[-1] == term[0] for before, term in zip(terms, terms[1:])):
        return "N"
    return "".join(terms) or "-"


def slow_games(referee, tally, rng, positions):
    """Changed rules of every mixture against `Slow`."""
    end = tally.positions + positions
    while tally.positions < end:
        rules = {kind: wild_betza(rng, kind == "P") for kind in rng.sample("PNBRQ", rng.randrange(1, 6))}
        promotions = rng.choice(["QRBN"] * 4 + ["N", "NB", "QR", "B"])
        given = dict(rules)
        if promotions != "QRBN":
            given["="] = promotions
        slow = Slow(rules, promotions)
        for _ in range(4):
            start = random_placement(rng, first_rank=True) if rng.random() < 0.7 else chess.STARTING_FEN
            slow_game(referee, tally, rng, slow, given, start)
        tally.count("sets of rules for the slow walk")


def respelt(rng, betza):
    """The same movement, spelt otherwise."""
    terms = []
    for modifiers, atom, riding in Slow.TERM.findall("" if betza == "-" else betza):
        mode = any(c in modifiers for c in "pgn")
        ways = [(modifiers, atom, riding)]
        if atom in "WF" and riding == atom or atom in "RB" and riding in ("", "0", "7", "8", "9"):
            line = "R" if atom in "WR" else "B"
            ways = [(modifiers, line, "")] if mode else [(modifiers, line, c) for c in ("", "0", "7", "9")]
            ways += [] if mode else [(modifiers, "WF"[line == "B"], "WF"[line == "B"]), (modifiers, "WF"[line == "B"], "0")]
        elif atom == "N" and riding in ("N", "0"):
            ways += [(modifiers, "N", "N"), (modifiers, "N", "0"), (modifiers, "N", "3"), (modifiers, "N", "8")]
        elif atom in "CLZJ":
            ways += [(modifiers, {"C": "L", "L": "C", "Z": "J", "J": "Z"}[atom], "")]
        chosen = [rng.choice(ways)]
        if atom in "KQ" and rng.random() < 0.7:
            chosen = [(modifiers, part, riding) for part in {"K": "WF", "Q": "RB"}[atom]]
        if "m" not in modifiers and "c" not in modifiers and rng.random() < 0.4:
            chosen = [("m" + m.replace("e", ""), a, r) for m, a, r in chosen] + [("c" + m, a, r) for m, a, r in chosen]
        for m, a, r in chosen:
            run = "".join(c for c in m if c in "fblrvsh")
            parts = [run, *(c for c in m if c not in "fblrvsh")]
            rng.shuffle(parts)
            terms.append("".join(parts) + a + r)
    rng.shuffle(terms)
    if any(after[0] == before[-1] for before, after in zip(terms, terms[1:])):
        return None
    return "".join(terms) or "-"


def changes_nothing(referee, tally, rng, count):
    """A movement spelt otherwise changes nothing; another one that reaches something else does."""
    for _ in range(count):
        kind = rng.choice("PNBRQ")
        betza = wild_betza(rng, kind == "P")
        again = respelt(rng, betza)
        if again is None:
            continue
        question = {"fen": "k7/8/8/8/8/8/8/7K w - - 0 1", "rules": {kind: betza}, "turns": [f'rule {kind} {again} "x"']}
        answer = referee.ask(**question)
        tally.same("changes nothing", answer["ok"] or "changes nothing" in answer["error"], not answer["ok"],
                   question=question, answer=answer)
        tally.same("changes nothing", answer["ok"], False, question=question)
        tally.count("movements spelt otherwise")
        # Another movement: whether it is the same is seen on boards full of chance.
        other = wild_betza(rng, kind == "P") if rng.random() < 0.3 else mutated(rng, betza)
        question["turns"] = [f'rule {kind} {other} "x"']
        answer = referee.ask(**question)
        if not answer["ok"] and "changes nothing" not in answer["error"]:
            continue
        one, two = Slow({kind: betza}, "QRBN"), Slow({kind: other}, "QRBN")
        differs = any(walks(one, kind, board) != walks(two, kind, board) for board in boards_of_chance(rng))
        tally.same("changes something", answer["ok"], differs, question=question, answer=answer)
        tally.count("movements that change something" if differs else "other movements that change nothing")


def mutated(rng, betza):
    """Nearly the same movement, or the same."""
    for _ in range(20):
        letters = list(betza)
        at = rng.randrange(len(letters))
        letters[at] = rng.choice(["", "", rng.choice("mcpgnfblrWFDNAKRBQ23"), letters[at] + rng.choice("mcfblrWFDNA23")])
        text = "".join(letters)
        # Modifiers that the grammar refuses are no matter here: the referee says so.
        if re.fullmatch(r"(?:[a-z]*[A-Z]\d?)+", text):
            return text
    return betza


def boards_of_chance(rng):
    for fill in (0, 0.03, 0.1, 0.2, 0.3, 0.5) * 40:
        yield {at: "Q" for at in range(64) if rng.random() < fill}


def walks(slow, kind, board):
    """Everything a kind reaches from everywhere, the board being filled so."""
    found = set()
    for at in [rng_at for rng_at in range(64) if rng_at % 3 == len(board) % 3 or rng_at // 8 in (1, 6)]:
        there = {**board, at: kind}
        plain = {to for to, first, _ in slow.walk(there, at, "m") if not first and to not in there}
        found |= {(at, to, "m") for to in plain}
        found |= {(at, to, "i") for to, first, _ in slow.walk(there, at, "m") if to not in plain and to not in there}
        found |= {(at, to, "c") for to, *_ in slow.walk(there, at, "c")}
        found |= {(at, to, "e") for to, *_ in slow.walk(there, at, "", passing=True) if to not in plain and to not in there}
    return found


def slow_game(referee, tally, rng, slow, given, start):
    turns = []
    question = {"fen": start, "rules": given, "turns": turns}
    answer = referee.ask(want=["legal"], **question)
    board, white, rights = read_fen(start)
    king = next(at for at, piece in board.items() if piece == ("k" if white else "K"))
    attacked = slow.attacked(board, king, white)
    if not answer["ok"] or attacked:
        tally.same("a king that is not to move is attacked", not answer["ok"], attacked, question=question, answer=answer)
        tally.count("positions refused")
        return
    passed = pawn = None
    for _ in range(rng.randrange(1, 25)):
        moves = slow.legal(board, white, rights, passed, pawn)
        if answer["reason"] in ("repetition", "no-progress"):
            return
        place = {"question": question, "fen": answer["position"]}
        tally.positions += 1
        tally.same("legal moves", set(answer["legal"]), set(moves), **place)
        king = next(at for at, piece in board.items() if piece == ("K" if white else "k"))
        check = slow.attacked(board, king, not white)
        tally.same("check", answer["check"], check, **place)
        tally.same("end", answer["reason"], None if moves else "checkmate" if check else "stalemate", **place)
        again = referee.ask(fen=answer["position"], rules=given | slow.changed, want=["legal"])
        tally.same("position read again", (again["position"], again["legal"]), (answer["position"], answer["legal"]), **place)
        if not moves:
            tally.count(answer["reason"])
            return
        if rng.random() < 0.15:
            # A change of the rules instead of a move.
            kind = rng.choice("PNBRQ")
            betza = wild_betza(rng, kind == "P")
            rules = {k: v for k, v in given.items() if k != "="} | slow.changed
            after = Slow({**rules, kind: betza}, slow.promotions)
            after.changed = {**slow.changed, kind: betza}
            answer = referee.ask(fen=start, rules=given, turns=[*turns, f'rule {kind} {betza} "x"'], want=["legal"])
            open_king = after.attacked(board, king, not white)
            if answer["ok"] or "changes nothing" not in answer["error"]:
                tally.same("acceptance of a change", answer["ok"], not open_king, **place, change=f"{kind} {betza}", answer=answer)
                tally.count("changes made" if answer["ok"] else "changes refused")
            if answer["ok"]:
                turns.append(f'rule {kind} {betza} "x"')
                slow, passed, pawn = after, None, None
                board, white, rights = read_fen(answer["position"])
                continue
            answer = referee.ask(want=["legal"], **question)
        # Captures in passing and double steps are rare: they are taken more often than others.
        special = [m for m in moves if moves[m] is not None or passed is not None and square_of(m[2:4]) == passed]
        move = rng.choice(sorted(special)) if special and rng.random() < 0.5 else rng.choice(sorted(moves))
        turns.append(move)
        answer = referee.ask(want=["legal"], **question)
        if not answer["ok"]:
            tally.same("acceptance", answer["error"], "accepted", question=question)
        board, white, rights = read_fen(answer["position"])
        pawn = square_of(move[2:4])
        if passed is not None and pawn == passed:
            tally.count("moves to a square passed over")
        passed = moves[move]
        tally.count("double steps") if passed is not None else None


def square_of(name):
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def read_fen(fen):
    placement, side, rights = fen.split()[:3]
    board, at = {}, 56
    for c in placement:
        if c == "/":
            at -= 16
        elif c.isdigit():
            at += int(c)
        else:
            board[at] = c
            at += 1
    return board, side == "w", rights


def flipped(fen):
    fields = fen.split()
    fields[1] = "b" if fields[1] == "w" else "w"
    fields[3] = "-"
    return " ".join(fields)


def fairy_games(referee, tally, rng, positions):
    end = tally.positions + positions
    number = 0
    while tally.positions < end:
        number += 1
        rules = {}
        for kind in rng.sample("PNBRQ", rng.randrange(1, 6)):
            rules[kind] = random_betza(rng, kind == "P")
        promotions = rng.choice(["QRBN"] * 4 + ["N", "NB", "QR", "B"])
        name = f"flex{number}"
        pyffish.load_variant_config(variant(name, rules, promotions))
        given = dict(rules)
        if promotions != "QRBN":
            given["="] = promotions
        for _ in range(4):
            start = random_placement(rng, first_rank=True) if rng.random() < 0.6 else chess.STARTING_FEN
            fairy_game(referee, tally, rng, name, given, start)
        tally.count("sets of changed rules")


def fairy_game(referee, tally, rng, name, given, start):
    turns = []
    question = {"fen": start, "rules": given, "turns": turns}
    answer = referee.ask(want=["legal"], **question)
    attacked = pyffish.gives_check(name, flipped(start), [])
    if not answer["ok"] or attacked:
        tally.same("a king that is not to move is attacked", not answer["ok"], attacked, question=question, answer=answer)
        tally.count("positions refused")
        return
    lame = any("nD" in betza or "D" in betza and "n" in betza for kind, betza in given.items() if kind != "P")
    lame = lame or "D" in given.get("P", "").replace("ifmnD", "").replace("ifmD", "").replace("ismnD", "")
    for _ in range(rng.randrange(1, 60)):
        fen = pyffish.get_fen(name, start, turns)
        theirs = set(pyffish.legal_moves(name, start, turns))
        ours = set(answer["legal"])
        place = {"question": question, "fen": answer["position"], "fairy": fen}
        passing = fen.split()[3] != "-"
        if passing:
            # Captures in passing that the known traps touch are left out.
            field = fen.split()[3]
            squares = {field[at:at + 2] for at in range(0, len(field), 2)}
            unclear = unclear_passing(given)
            if unclear:
                tally.count("positions with an unclear capture in passing")
                ours = {move for move in ours if move[2:4] not in squares}
                theirs = {move for move in theirs if move[2:4] not in squares}
        if lame:
            ours, theirs = without_castling(ours, answer), without_castling(theirs, answer)
        if answer["reason"] in ("repetition", "no-progress"):
            return
        tally.positions += 1
        if passing:
            tally.count("positions after a double step")
        if any(move.endswith(("q", "r", "b", "n")) for move in ours):
            tally.count("positions with promotions")
        tally.same("legal moves", ours, theirs, **place)
        tally.same("check", answer["check"], pyffish.gives_check(name, start, turns), **place)
        if not theirs and not lame and not passing:
            reason = "checkmate" if answer["check"] else "stalemate"
            tally.same("end", answer["reason"], reason, **place)
            tally.count(reason)
        if not (ours and theirs):
            return
        turns.append(rng.choice(sorted(ours & theirs)))
        answer = referee.ask(want=["legal"], **question)
        if not answer["ok"]:
            tally.same("acceptance", answer["error"], "accepted", question=question)


def unclear_passing(given):
    """Whether the pawns' ordinary steps may also reach the squares of a capture in passing."""
    pawn = given.get("P", ORDINARY["P"])
    return pawn not in (ORDINARY["P"], "fmWfceFifmnDifmnA", "fmFfceWifmnA", "fsmWfceFifmnD", "fmWceFifmnD", "fmWfceFrfceNifmnD",
                        "fmWfceFifmnDismnD", "fmWbcWfceFifmnD", "fmWfceFceNifmnD", "cegRfmWifmnD")


def without_castling(moves, answer):
    rows = answer["position"].split()[0].split("/")

    def king(rank):
        file = 0
        for c in rows[7 - rank]:
            if c.isdigit():
                file += int(c)
            else:
                if c in "kK" and file == 4:
                    return True
                file += 1
        return False

    return {m for m in moves if not (m in ("e1g1", "e1c1") and king(0) or m in ("e8g8", "e8c8") and king(7))}


# ------------------------------------------------------------------------------------- rule cards

# Castling, captures in passing and promotions lie near.
MIDDLE = "r3k2r/1Pp1qpb1/bn1ppnp1/3PN3/4P3/p1N2Q2/PpPBBPPP/R3K2R w KQkq - 0 1"


def rule_cards(binary, referee, tally, rng):
    """The rule of every card, put into force by the card: perft, and random games."""
    deck = subprocess.run([binary, "cards"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for number, card in enumerate(map(json.loads, deck.splitlines())):
        kind, rule, name = card["kind"], card["rule"], f"card{number}"
        is_set = rule.startswith("=")
        rules, promotions = ({}, rule[1:]) if is_set else ({kind: rule}, "QRBN")
        given = {"=": promotions} if is_set else rules
        fairy, slow = fairy_reads(rules), Slow(rules, promotions)
        if fairy:
            pyffish.load_variant_config(variant(name, rules, promotions))
        for start in (chess.STARTING_FEN, MIDDLE):
            # A move of either side: the binding takes milliseconds for each position.
            answer = referee.ask(fen=start, turns=["card " + card["card"]], want=["perft:2"])
            if not answer["ok"]:
                tally.same("acceptance", answer["error"], "accepted", card=card, fen=start)
            fen = answer["position"]
            tally.same("rules", answer["rules"], given, card=card)
            count = fairy_perft(name, fen) if fairy else slow_perft(referee, slow, given, fen)
            tally.same("perft", answer["perft"][1], count, card=card, fen=fen)
            tally.count("perft of a card beside Fairy-Stockfish" if fairy else "perft of a card beside the slow walk")
        for start in (chess.STARTING_FEN, MIDDLE, random_placement(rng, first_rank=True)):
            slow_game(referee, tally, rng, slow, given, start)
            if fairy:
                fairy_game(referee, tally, rng, name, given, start)
        tally.count("rule cards")


def fairy_reads(rules):
    """Whether Fairy-Stockfish reads the movement of a card as the rules mean it."""
    if "P" in rules:
        return not unclear_passing(rules)
    taken = {}
    terms = [term for betza in rules.values() for term in Slow.TERM.findall(betza)]
    return all(take(taken, "".join(c for c in m if c in "mc"), atom, "".join(c for c in m if c in "pgn"), riding)
               for m, atom, riding in terms)


def fairy_perft(name, fen):
    """Perft at depth 2."""
    return sum(len(pyffish.legal_moves(name, fen, [move])) for move in pyffish.legal_moves(name, fen, []))


def slow_perft(referee, slow, given, fen):
    """Perft at depth 2; the referee makes the moves."""
    total = 0
    for move, passed in slow.legal(*read_fen(fen), None, None).items():
        after = referee.ask(fen=fen, rules=given, turns=[move])["position"]
        total += len(slow.legal(*read_fen(after), passed, square_of(move[2:4])))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="the built perplex")
    parser.add_argument("--positions", type=int, default=4000, help="how many of each kind to compare")
    # The same in every run, so that none fails now and then; fresh in the longer one.
    is_long = os.environ.get("PERPLEX_LONG") == "1"
    fresh = random.SystemRandom().randrange(2**32) if is_long else 1
    parser.add_argument("--seed", type=int, default=fresh, help="what all chance comes from (printed)")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    referee = Referee(options.binary)
    started = time.time()
    tally = Tally()
    ordinary_games(referee, tally, rng, options.positions)
    ordinary = tally.positions
    print(f"ordinary chess against python-chess {chess.__version__}: {ordinary} positions", flush=True)
    fairy_games(referee, tally, rng, options.positions)
    print(f"changed rules against Fairy-Stockfish (pyffish): {tally.positions - ordinary} positions")
    before = tally.positions
    slow_games(referee, tally, rng, options.positions)
    print(f"changed rules of every mixture against the slow walk: {tally.positions - before} positions")
    changes_nothing(referee, tally, rng, options.positions // 10)
    before = tally.positions
    rule_cards(options.binary, referee, tally, rng)
    print(f"rule cards against Fairy-Stockfish and the slow walk: {tally.positions - before} positions")
    for what, count in sorted(tally.counts.items()):
        print(f"  {what}: {count}")
    print(f"all alike, in {time.time() - started:.1f} s")


if __name__ == "__main__":
    main()
