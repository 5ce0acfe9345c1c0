"""The resources of the API group solrbench.io: what a user asks for, and what the operator answers.

Models, the rules that span their fields, and the names by which the API server knows them.
"""
