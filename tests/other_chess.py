#!/usr/bin/env python3
"""What python-chess makes of our chess: `pgn` reads games on standard input and prints for each its moves and
last position, `uci PROGRAM` plays a short game by the Universal Chess Interface."""

import io
import json
import sys

import chess.engine
import chess.pgn


def pgn():
    text = io.StringIO(sys.stdin.read())
    while game := chess.pgn.read_game(text):
        board = game.end().board()
        print(json.dumps({
            "errors": [str(error) for error in game.errors],
            "moves": [move.uci() for move in game.mainline_moves()],
            "fen": board.fen(),
            "result": game.headers["Result"],
            "white": game.headers["White"],
        }))


def uci(program):
    with chess.engine.SimpleEngine.popen_uci([program, "ugi", "flexichess"]) as engine:
        engine.configure({"Level": "easy"})
        board = chess.Board()
        for _ in range(8):
            played = engine.play(board, chess.engine.Limit(time=0.2))
            board.push(played.move)
        print(board.fen())
        # A mate in one is found.
        board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        print(engine.play(board, chess.engine.Limit(depth=3)).move)


if __name__ == "__main__":
    pgn() if sys.argv[1] == "pgn" else uci(sys.argv[2])
