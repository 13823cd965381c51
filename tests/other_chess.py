#!/usr/bin/env python3
"""What python-chess makes of our chess: `pgn` reads games on standard input and prints for each its moves and
last position, `texts` reads texts as JSON, a line each, and prints the moves of each and whether it complains, `uci PROGRAM` plays a short game by the Universal Chess Interface."""

import io
import json
import logging
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


def texts():
    logging.disable()
    for line in sys.stdin:
        try:
            game = chess.pgn.read_game(io.StringIO(json.loads(line)))
        except IndexError:
            # It does not survive a variation before the first move.
            print(json.dumps([[], True]))
            continue
        moves = [move.uci() for move in game.mainline_moves()] if game else []
        print(json.dumps([moves, bool(game and game.errors)]))


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
    {"pgn": pgn, "texts": texts, "uci": lambda: uci(sys.argv[2])}[sys.argv[1]]()
